import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Ctx } from '../ctx.ts';

/** Further than the clock of any server may be off, and longer than any transaction may take. */
const SLACK = sql`interval '1 day'`;

/**
 * Limits a read of the journal to the numbers that entries of a time can have. The journal has no index of times: every
 * write would pay for a question that is rarely asked. The sequencer notes each minute how far the numbers are.
 */
export function numbersSince(from: Date): RawBuilder<SqlBool> {
  return sql`seq > ${sinceOf(from)}`;
}

function sinceOf(from: Date): RawBuilder<number> {
  return sql`coalesce((select max(seq) from journal_tick where at <= ${from}::timestamptz - ${SLACK}), 0)`;
}

/** The history of an org that came from another database got its numbers there, however old it is. */
export function numbersUntil(org: string, to: Date): RawBuilder<SqlBool> {
  return sql`seq <= ${untilOf(org, to)}`;
}

/** Without a tick, the largest integer that is exact in JavaScript, which no entry reaches. */
function untilOf(org: string, to: Date): RawBuilder<number> {
  return sql`greatest((select last_seq from org_import where org_id = ${org}), coalesce(
    (select seq from journal_tick where at >= ${to}::timestamptz + ${SLACK} order by at limit 1),
    ${sql.lit(Number.MAX_SAFE_INTEGER)}))`;
}

export interface Numbers {
  readonly since: number | null;
  readonly until: number | null;
}

/**
 * The same limits, read ahead of the statement that uses them: planned with their values, it reads the newest of an org
 * from its own index. A limit that is a subquery is taken for one that few rows pass, and all of them are read.
 */
export async function readNumbers(
  ctx: Ctx,
  { from, to }: { readonly from: Date | undefined; readonly to: Date | undefined },
): Promise<Numbers> {
  if (!from && !to) return { since: null, until: null };
  const since = from ? sinceOf(from) : sql`null::bigint`;
  const until = to ? untilOf(ctx.org, to) : sql`null::bigint`;
  const { rows } = await sql<Numbers>`select ${since} as since, ${until} as until`.execute(ctx.db);
  return rows[0] ?? { since: null, until: null };
}

/**
 * The entry at a place of the ledger, to be joined laterally. `offset 0` lets PostgreSQL look each up in the one range
 * that has its number: a plan that is made once for all parameters may otherwise read the whole journal.
 */
export const ENTRY_OF_LEDGER =
  'select * from journal where journal.org_id = ledger.org_id and journal.seq = ledger.entry_seq offset 0';
