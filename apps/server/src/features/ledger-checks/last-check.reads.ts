import type { Ctx } from '../../platform/ctx.ts';

export interface LastCheck {
  readonly at: Date;
  readonly entries: number;
  readonly problems: number;
}

/** The newest comparison of the ledger of the org that came to its end; what one under way has found counts already. */
export async function findLastCheck({ db, org }: Ctx): Promise<LastCheck | undefined> {
  const row = await db
    .selectFrom('ledger_check')
    .select(['at', 'entries', 'problems', 'found'])
    .where('org_id', '=', org)
    .executeTakeFirst();
  if (!row?.at) return undefined;
  return { at: row.at, entries: row.entries, problems: Math.max(row.problems, row.found) };
}
