import type { KeyScope, Role } from '@waymark/contract';
import type { Db } from './db/db.ts';
import { isDeadlock } from './db/failure.ts';
import { newId } from './ids.ts';
import type { Logger } from './log.ts';
import { systemClock } from './time.ts';

export type Actor =
  | { readonly kind: 'user' | 'service_account'; readonly id: string; readonly name: string; readonly role: Role }
  | { readonly kind: 'system'; readonly id: null; readonly name: string };

/** The credential of the caller. */
export interface Credential {
  readonly kind: 'key' | 'session';
  readonly id: string;
  /** The org whose identity provider authenticated the caller; the credential is valid there only. */
  readonly onlyOrg: string | null;
  /** The verified claims of the CI job that the key was made for, as JSON. */
  readonly workload: string | null;
  /** When a key expires. Null for sessions and for keys that do not expire. */
  readonly expiresAt: Date | null;
  /** The person who made it, directly or through something they made. Null when the operator did. */
  readonly madeBy: string | null;
  /** The scope of a key; null for all permissions of the role. */
  readonly scope: KeyScope | null;
}

/** The actor, the time, and the database. Outbound clients do not belong here. */
export interface Ctx {
  readonly db: Db;
  readonly actor: Actor;
  /** Null for work that no caller requested. */
  readonly credential: Credential | null;
  readonly org: string;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly log: Logger;
  /** In a transaction: what `afterCommit` has collected. */
  readonly afterCommit?: ((ctx: Ctx) => Promise<unknown>)[];
}

/** The acting person, for operations that are for people only. */
export function actingPerson({ actor }: Ctx): { readonly id: string; readonly name: string } {
  if (actor.kind !== 'user') throw new Error('an operation for people was let in for somebody else');
  return actor;
}

/** The context of work that no caller requested: commands, jobs, processors. */
export function systemCtx(db: Db, org: string, name: string, log: Logger): Ctx {
  return { db, actor: { kind: 'system', id: null, name }, credential: null, org, now: systemClock, newId, log };
}

const DEADLOCKS_BORNE = 3;

/**
 * Runs `work` in one transaction. Name the callback's parameter `ctx`, so that the outer one is out of reach. It runs
 * again when PostgreSQL aborts it because of a deadlock: nothing of it was done then.
 */
export async function inTransaction<T>(ctx: Ctx, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  if (ctx.db.isTransaction) return work(ctx);
  for (let deadlocks = 0; ; deadlocks++) {
    const afterCommit: ((ctx: Ctx) => Promise<unknown>)[] = [];
    try {
      const result = await ctx.db.transaction().execute((trx) => work({ ...ctx, db: trx, afterCommit }));
      for (const later of afterCommit) await later(ctx).catch((error) => logFailure(ctx, error));
      return result;
    } catch (error) {
      if (!isDeadlock(error) || deadlocks >= DEADLOCKS_BORNE) throw error;
    }
  }
}

/**
 * Runs `work` when the open transaction has been committed, before the caller gets its result. What must be done even if
 * the process ends in between is also queued in the transaction. A failure is logged and does not reach the caller,
 * whose change is committed.
 */
export function afterCommit({ afterCommit, ...ctx }: Ctx, work: (ctx: Ctx) => Promise<unknown>): void {
  if (!afterCommit) throw new Error('there is no transaction to wait for');
  // A transaction may hold changes of several people: an approval makes the change of another.
  afterCommit.push(({ db }) => work({ ...ctx, db }));
}

function logFailure(ctx: Ctx, error: unknown): void {
  ctx.log.error({ err: error }, 'work after a commit failed');
}
