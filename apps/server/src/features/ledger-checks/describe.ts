import { sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { LedgerDifference } from './difference.ts';

/** The first signed checkpoint that covers an entry. */
interface Cover {
  readonly epoch: number;
  readonly number: number;
}

async function findCover(db: Db, org: string, index: number): Promise<Cover | undefined> {
  const { rows } = await sql<Cover>`
    select signed.epoch, signed.number from org_log
    cross join lateral (
      select epoch, index from region_leaf
      where log_id = org_log.log_id and region_leaf.size > ${index} order by epoch, size limit 1
    ) as leaf
    cross join lateral (
      select epoch, number from region_checkpoint
      where epoch = leaf.epoch and size > leaf.index order by number limit 1
    ) as signed
    where org_log.org_id = ${org}`.execute(db);
  return rows[0];
}

/** A difference in one line: what it is about, what is wrong, and which checkpoint proves how it was. */
export async function describe(db: Db, difference: LedgerDifference, orgName?: string): Promise<string> {
  const { org, table, row, column, index, says } = difference;
  const of = org === null ? '' : `org '${orgName ?? org}': `;
  const what = `${of}${table} ${row}${column === null ? '' : ` ${column}`} ${says}`;
  if (org === null || index === null) return what;
  const cover = await findCover(db, org, index);
  if (!cover) return `${what}; entry ${index} is in no checkpoint yet`;
  return `${what}; entry ${index} is in checkpoint ${cover.number} of epoch ${cover.epoch}`;
}
