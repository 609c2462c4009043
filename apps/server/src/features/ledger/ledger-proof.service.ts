import { formatLedgerProof, isInOrgLog, type TileMemory } from '@waymark/transparency';
import type { Ctx } from '../../platform/ctx.ts';
import { statement } from '../../platform/db/statement.ts';
import { forbidden, notFound, unavailable } from '../../platform/errors.ts';
import { readHeadProof } from '../../platform/ledger/head-proof.ts';
import { findOrgLog } from '../../platform/ledger/org-tiles.ts';
import { readProvenEntries } from '../../platform/ledger/proven-entries.ts';
import { nodeSha256 } from '../../platform/ledger/tree.ts';
import type { WitnessPolicy } from '../../platform/ledger/witness-policy.ts';
import { listEntries } from './ledger-entry.reads.ts';
import { findSubject, type LedgerSubject, type SubjectQuery } from './ledger-subject.reads.ts';
import { mayProve } from './proof-access.ts';
import { readSealing } from './sealing.reads.ts';
import { notSigning } from './trust-policy.reads.ts';

export interface ProofFile {
  readonly filename: string;
  readonly content: string;
}

/** Returns the proof of the newest entry about a subject. Throws a 503 while it is not sealed. */
export async function proveEntry(
  ctx: Ctx,
  policy: WitnessPolicy,
  memory: TileMemory,
  query: SubjectQuery,
): Promise<ProofFile> {
  const subject = await findSubject(ctx, query);
  const index = await findIndex(ctx, subject);
  const [log] = await findOrgLog(ctx.db, { org_id: ctx.org });
  const head = index !== undefined && log && index < log.size && (await readHeadProof(ctx.db, policy, log, index));
  if (!head) throw await notSealed(ctx, subject);
  const [entry] = await readProvenEntries(ctx.db, log, head.org, [index], memory);
  if (!entry) throw new Error(`entry ${index} of the ledger is not in the journal`);
  // Whoever verifies the proof finds the same. It is sent as it is, because it shows that something was changed.
  if (!isInOrgLog(entry, head.org, nodeSha256))
    ctx.log.error({ index, entry: entry.leaf.id }, 'an entry of the journal is not what is in the ledger');
  return { filename: `${entry.leaf.id}.tlog-proof`, content: formatLedgerProof({ ...head, entry }) };
}

/** Returns undefined while the newest entry is not in the ledger. */
async function findIndex(ctx: Ctx, subject: LedgerSubject): Promise<number | undefined> {
  const [newest] = (await listEntries(ctx, subject, 1)).entries;
  if (newest) return newest.index;
  if (subject.entry === undefined) return undefined;
  const type = await findHiddenType(ctx, subject.entry);
  if (type === undefined && !(await isWaiting(ctx, subject.entry))) throw notFound('Journal entry', subject.entry);
  if (type !== undefined && !mayProve(ctx, type))
    throw forbidden('Only admins can prove entries about people, sign-in, service accounts, and keys');
  return undefined;
}

const findTypes = statement<{ org_id: string; id: string }, { readonly type: string }>(
  'find_type_of_ledger_entry',
  `select journal.type from ledger
   join journal on journal.org_id = ledger.org_id and journal.seq = ledger.entry_seq
   where ledger.entry_id = :id and ledger.org_id::text = :org_id::uuid::text limit 1`,
);

async function findHiddenType(ctx: Ctx, id: string): Promise<string | undefined> {
  const [found] = await findTypes(ctx.db, { org_id: ctx.org, id });
  return found?.type;
}

/** The end of the journal that the sequencer has not passed, which is what was written within about a second. */
const findWaiting = statement<{ org_id: string; id: string }, { readonly id: string }>(
  'find_entry_to_sequence',
  `select id from journal
   where org_id = :org_id and id = :id and seq > least(
     (select high_water from sequencer), coalesce((select min(from_seq) - 1 from journal_gap), 9223372036854775807))
   limit 1`,
);

async function isWaiting(ctx: Ctx, id: string): Promise<boolean> {
  return (await findWaiting(ctx.db, { org_id: ctx.org, id })).length > 0;
}

const SECONDS_UNTIL_SEALED = 1;
const SECONDS_WHILE_STOPPED = 60;

async function notSealed(ctx: Ctx, { title }: LedgerSubject): Promise<Error> {
  const { state, reason } = await readSealing(ctx.db);
  if (state === 'unsigned') return notSigning();
  if (state === 'stopped') {
    const why = `No proof of ${title}: signing stopped. ${reason ?? ''}`.trim();
    return unavailable(why, { retryAfterSeconds: SECONDS_WHILE_STOPPED });
  }
  return unavailable(`The newest entry about ${title} is not sealed yet. Try again shortly`, {
    retryAfterSeconds: SECONDS_UNTIL_SEALED,
  });
}
