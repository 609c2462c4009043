import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../src/platform/db/db.ts';

/** Locks rows like a slow transaction. The returned function releases them. */
export async function holdRows(db: Db, ...locks: readonly RawBuilder<unknown>[]): Promise<() => Promise<void>> {
  const { promise: isOver, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
  const holding = db.transaction().execute(async (trx) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx);
    for (const lock of locks) await lock.execute(trx);
    hold();
    await isOver;
  });
  await Promise.race([isHeld, holding]);
  return () => {
    letGo();
    return holding;
  };
}
