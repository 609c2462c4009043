import type { Db } from '../../platform/db/db.ts';

/** Reads with one snapshot, so that rows and the entries about them are of the same moment. */
export function inOneView<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db);
  return db.transaction().setIsolationLevel('repeatable read').execute(work);
}
