import { type Ctx, inTransaction } from './ctx.ts';

/** Ends a transaction that went well. It is not a failure, and never leaves this file. */
class RolledBack<T> extends Error {
  readonly outcome: T;

  constructor(outcome: T) {
    super('the transaction was only tried');
    this.outcome = outcome;
  }
}

/** Like `inTransaction`, but rolls back; only the result remains. */
export async function inRolledBackTransaction<T>(ctx: Ctx, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  if (ctx.db.isTransaction) throw new Error('a transaction that others go on with cannot be rolled back');
  try {
    return await inTransaction(ctx, async (ctx) => {
      throw new RolledBack(await work(ctx));
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.outcome as T;
    throw error;
  }
}
