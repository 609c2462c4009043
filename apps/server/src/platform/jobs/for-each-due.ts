import { type Ctx, systemCtx } from '../ctx.ts';
import type { Db } from '../db/db.ts';
import { isUnavailable } from '../db/failure.ts';
import type { Logger } from '../log.ts';

interface DueWork {
  readonly db: Db;
  readonly log: Logger;
  readonly now: () => Date;
  /** Who acts, as the journal names them. */
  readonly actor: string;
  /** What the log says of one that failed. */
  readonly failure: string;
}

/**
 * Does something for each row, in a context of the row's org. One that fails is logged and does not hold up the others;
 * it is due again the next time. An outage of the database ends it.
 */
export async function forEachDue<Row extends { readonly org_id: string }>(
  { db, log, now, actor, failure }: DueWork,
  rows: readonly Row[],
  act: (ctx: Ctx, row: Row) => Promise<unknown>,
): Promise<void> {
  for (const row of rows) {
    try {
      await act({ ...systemCtx(db, row.org_id, actor, log), now }, row);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      log.error({ err: error, row }, failure);
    }
  }
}
