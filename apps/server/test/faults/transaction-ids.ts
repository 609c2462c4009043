import { sql } from 'kysely';
import type { Db } from '../../src/platform/db/db.ts';

/** Puts a cluster ahead of any new one, however young it is. */
export async function spendTransactionIds(db: Db): Promise<void> {
  await sql`
    do $$ begin
      for i in 1 .. 3000 loop
        perform pg_current_xact_id();
        commit;
      end loop;
    end $$`.execute(db);
}
