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

export function numbersUntil(to: Date): RawBuilder<SqlBool> {
  return sql`seq <= coalesce(
    (select seq from journal_tick where at >= ${to}::timestamptz + ${SLACK} order by at limit 1), 9223372036854775807)`;
}
