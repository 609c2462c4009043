import type { KeyScope, Role } from '@waymark/contract';
import type { Db } from './db/db.ts';
import { isDeadlock } from './db/failure.ts';
import { newId } from './ids.ts';
import type { Logger } from './log.ts';
import { systemClock } from './time.ts';

export type Actor =
  | { readonly kind: 'user' | 'service_account'; readonly id: string; readonly name: string; readonly role: Role }
  | { readonly kind: 'system'; readonly id: null; readonly name: string };

/** What the caller came with. */
export interface Credential {
  readonly kind: 'key' | 'session';
  readonly id: string;
  /** The org whose identity provider spoke for the caller; the credential is good there alone. */
  readonly onlyOrg: string | null;
  /** What was verified about the job of a CI system that the key was made for, as JSON. */
  readonly workload: string | null;
  /** When a key expires. Null for one that does not, and for sessions. */
  readonly expiresAt: Date | null;
  /** The person who made it, or who made what made it. Null when the operator did. */
  readonly madeBy: string | null;
  /** What a key is limited to; null for all rights of the role. */
  readonly scope: KeyScope | null;
}

/** Who asks, when it is, and where it is written. Outbound clients do not belong here. */
export interface Ctx {
  readonly db: Db;
  readonly actor: Actor;
  /** Null for work that no caller asked for. */
  readonly credential: Credential | null;
  readonly org: string;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly log: Logger;
}

/** Who asks, where the operation is for people alone. */
export function actingPerson({ actor }: Ctx): { readonly id: string; readonly name: string } {
  if (actor.kind !== 'user') throw new Error('an operation for people was let in for somebody else');
  return actor;
}

/** The context of work that no caller asked for: commands, jobs, processors. */
export function systemCtx(db: Db, org: string, name: string, log: Logger): Ctx {
  return { db, actor: { kind: 'system', id: null, name }, credential: null, org, now: systemClock, newId, log };
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
