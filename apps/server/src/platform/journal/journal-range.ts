import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Further than the clock of any server may be off, and longer than any transaction may take. */
const SLACK = sql`interval '1 day'`;

/**
 * Limits a read of the journal to the numbers that entries of a time can have. The journal has no index of times: every
 * write would pay for a question that is rarely asked. The sequencer notes each minute how far the numbers are.
 */
export function numbersSince(from: Date): RawBuilder<SqlBool> {
  return sql`seq > coalesce((select max(seq) from journal_tick where at <= ${from}::timestamptz - ${SLACK}), 0)`;
}

/** The history of an org that came from another database got its numbers there, however old it is. */
export function numbersUntil(org: string, to: Date): RawBuilder<SqlBool> {
  return sql`seq <= greatest((select last_seq from org_import where org_id = ${org}), coalesce(
    (select seq from journal_tick where at >= ${to}::timestamptz + ${SLACK} order by at limit 1), 9223372036854775807))`;
}

/**
 * The entry at a place of the ledger, to be joined laterally. `offset 0` lets PostgreSQL look each up in the one range
 * that has its number: a plan that is made once for all parameters may otherwise read the whole journal.
 */
export const ENTRY_OF_LEDGER =
  'select * from journal where journal.org_id = ledger.org_id and journal.seq = ledger.entry_seq offset 0';
