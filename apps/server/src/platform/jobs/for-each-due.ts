import { type Ctx, systemCtx } from '../ctx.ts';
import type { Db } from '../db/db.ts';
import { isUnavailable } from '../db/failure.ts';
import type { Logger } from '../log.ts';

interface DueWork {
  readonly db: Db;
  readonly log: Logger;
  readonly now: () => Date;
  /** The actor in the journal. */
  readonly actor: string;
  /** The log message for a row that failed. */
  readonly failure: string;
}

/**
 * Does something for each row, in a context of the row's org. A failure is logged and does not delay the others; the
 * row is due again the next time. An outage of the database ends the run.
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
