import { type Selectable, sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { Tables } from '../../../platform/db/tables.ts';
import { listMailable } from '../mail-consent/mail-address.reads.ts';

type Target = Selectable<Tables['notification_target']>;
type State = Selectable<Tables['target_state']>;

const targetColumns = [
  'id',
  'source_id',
  'config_type',
  'kind',
  'position',
  'url_sealed',
  'url_sha256',
  'url_host',
  'payload_version',
  'context',
  'emails',
] as const;
const stateColumns = [
  'last_success_at',
  'last_failure_at',
  'last_error',
  'failures',
  'disabled_at',
  'disabled_because',
] as const;

/** A target and how deliveries to it go. */
export type TargetRow = Pick<Target, (typeof targetColumns)[number]> &
  Pick<State, (typeof stateColumns)[number]> & {
    /** Those of its addresses whose owners have unsubscribed. */
    readonly unsubscribed: readonly string[];
    /** Those that get nothing before their owners confirm them. */
    readonly unconfirmed: readonly string[];
  };

/** Those that get messages, by source and in the given order. Derived ones are never shown. */
export async function listTargets(db: Db, org: string, sourceIds: readonly string[]): Promise<TargetRow[]> {
  const targets = await db
    .selectFrom('notification_target as target')
    .innerJoin('target_state as state', (join) =>
      join.onRef('state.org_id', '=', 'target.org_id').onRef('state.target_id', '=', 'target.id'),
    )
    .select(targetColumns.map((column) => `target.${column}` as const))
    .select(stateColumns.map((column) => `state.${column}` as const))
    .select([
      sql<string[]>`array(
        select address from mail_refusal as refusal
        where refusal.org_id = ${org} and refusal.target_id = target.id and refusal.address = any(target.emails)
        order by address)`.as('unsubscribed'),
      sql<string[]>`array(select email from unnest(target.emails) as email order by email)`.as('sorted_emails'),
    ])
    .where('target.org_id', '=', org)
    .where('target.source_id', '=', sql<string>`any(${sourceIds}::uuid[])`)
    .where('target.removed_at', 'is', null)
    .where('target.derived', '=', false)
    .orderBy('target.source_id')
    .orderBy('target.position')
    .execute();
  const addresses = new Set(targets.flatMap(({ emails }) => emails));
  const mailable = await listMailable(db, org, [...addresses]);
  return targets.map(({ sorted_emails, ...target }) => ({
    ...target,
    unconfirmed: sorted_emails.filter((email) => !mailable.has(email)),
  }));
}
