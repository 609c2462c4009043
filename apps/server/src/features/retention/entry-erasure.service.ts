import type { RecordType } from '@waymark/contract';
import { sql } from 'kysely';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { conflict } from '../../platform/errors.ts';
import { type ErasableEntry, eraseEntry } from '../../platform/journal/erase.ts';
import { requireNoHold, type ToErase } from './covering-hold.reads.ts';
import { requirePastRetention } from './retention.service.ts';
import { lockKeeping } from './retention.store.ts';

/** The record types of entries by the kind of their subject. All others are settings. */
const RECORD_TYPE_OF: Readonly<Record<string, RecordType>> = {
  attestation: 'attestations',
  flow: 'trails',
  trail: 'trails',
  artifact: 'trails',
  approval: 'trails',
  repository: 'trails',
  environment: 'environments',
  user: 'people',
  membership: 'people',
  invitation: 'people',
  service_account: 'people',
  workload_identity: 'people',
  api_key: 'people',
  scim_user: 'people',
  scim_group: 'people',
};

/** What people rely on to know that something was kept or erased. */
const PERMANENT = /^(legal_hold|retention)\.|\.erased$/;

/** Erases the content of a journal entry, unless it has to be kept. */
export function eraseUnlessHeld(ctx: Ctx, id: string, reason: string): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    await lockKeeping(ctx.db, ctx.org);
    await eraseEntry(ctx, id, reason, requireErasable);
  });
}

async function requireErasable(ctx: Ctx, entry: ErasableEntry): Promise<void> {
  const what = `Journal entry '${entry.id}'`;
  if (PERMANENT.test(entry.type))
    throw conflict(`${what} can't be erased: entries of type ${entry.type} are never erased`);
  await requireNoHold(ctx, what, await subjectOf(ctx, entry));
  const recordType = RECORD_TYPE_OF[entry.subject_kind] ?? 'settings';
  await requirePastRetention(ctx, what, recordType, entry.recorded_at);
}

async function subjectOf(ctx: Ctx, { subject_kind: kind, subject_id: id }: ErasableEntry): Promise<ToErase> {
  if (kind === 'environment') return { kind: 'of_environment', environmentId: id };
  const { rows } = await sql<{ trail_id: string }>`
    select id as trail_id from trail where org_id = ${ctx.org} and id = ${id} and ${kind} = 'trail'
    union all
    select trail_id from artifact where org_id = ${ctx.org} and id = ${id} and ${kind} = 'artifact'
    union all
    select trail_id from attestation where org_id = ${ctx.org} and id = ${id} and ${kind} = 'attestation'
    union all
    select trail_id from approval where org_id = ${ctx.org} and id = ${id} and ${kind} = 'approval'`.execute(ctx.db);
  const [row] = rows;
  return row ? { kind: 'in_trail', trailId: row.trail_id } : { kind: 'of_org' };
}
