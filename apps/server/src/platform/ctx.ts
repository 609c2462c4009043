import type { Role } from '@waymark/contract';
import type { Db } from './db/db.ts';
import { isDeadlock } from './db/failure.ts';
import { newId } from './ids.ts';
import type { Logger } from './log.ts';
import { systemClock } from './time.ts';

export type Actor =
  | { readonly kind: 'user' | 'service_account'; readonly id: string; readonly name: string; readonly role: Role }
  | { readonly kind: 'system'; readonly id: null; readonly name: string };

/** Who asks, when it is, and where it is written. Outbound clients do not belong here. */
export interface Ctx {
  readonly db: Db;
  readonly actor: Actor;
  readonly org: string;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly log: Logger;
}

/** The context of work that no caller asked for: commands, jobs, processors. */
export function systemCtx(db: Db, org: string, name: string, log: Logger): Ctx {
  return { db, actor: { kind: 'system', id: null, name }, org, now: systemClock, newId, log };
}

const DEADLOCKS_BORNE = 3;

/**
 * Runs `work` in one transaction. Name the callback's parameter `ctx` so the outer one is out of reach. It is run again
 * when PostgreSQL gives it up because others wait for it in turn: nothing of it was done then.
 */
export async function inTransaction<T>(ctx: Ctx, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  if (ctx.db.isTransaction) return work(ctx);
  for (let deadlocks = 0; ; deadlocks++) {
    try {
      return await ctx.db.transaction().execute((trx) => work({ ...ctx, db: trx }));
    } catch (error) {
      if (!isDeadlock(error) || deadlocks >= DEADLOCKS_BORNE) throw error;
    }
  }
}
