import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { type EnvironmentStamp, readStamps } from '../snapshots/record/current-runs.reads.ts';
import { lockEnvironments, tryLockEnvironments } from './environment-lock.store.ts';

/** What to record about an environment, judged while it had this stamp. */
export interface Ahead<Work> extends EnvironmentStamp {
  readonly work: Work;
}

export interface JudgedFirst<Work> {
  /** Reads and judges. Returns nothing for an environment that is archived. */
  judge(ctx: Ctx, ids: readonly string[]): Promise<readonly Ahead<Work>[]>;
  /** Writes what was judged. `ids` also has environments that are archived. */
  record(ctx: Ctx, ids: readonly string[], judged: readonly Ahead<Work>[]): Promise<void>;
  /** Environments that somebody is changing when the result is to be recorded are waited for, or left alone. */
  readonly ifBusy?: 'wait' | 'leave';
}

/** An environment that changes more often than it can be judged is judged under its lock. */
const TRIES_AHEAD = 2;

/**
 * Judges environments without a transaction or a lock, and then records the result in a short transaction, unless the
 * environment or its policies changed meanwhile: then it judges again. Evidence may have changed as well. That does not
 * matter, as new evidence and newly started runs are re-evaluated after they are committed.
 *
 * In a transaction of the caller both happen in that transaction.
 */
export async function judgeAhead<Work>(ctx: Ctx, ids: readonly string[], steps: JudgedFirst<Work>): Promise<void> {
  if (ctx.db.isTransaction) return judgeLocked(ctx, ids, steps);
  // One connection for all of it: waiting for one before each of a dozen statements costs more than they do.
  await ctx.db.connection().execute((db) => judgeUnlocked({ ...ctx, db }, ids, steps));
}

async function judgeUnlocked<Work>(ctx: Ctx, ids: readonly string[], steps: JudgedFirst<Work>): Promise<void> {
  let left = ids;
  for (let tries = 0; tries < TRIES_AHEAD && left.length > 0; tries++) {
    left = await judgeOnce(ctx, left, steps);
  }
  for (const id of left) await inTransaction(ctx, (ctx) => judgeLocked(ctx, [id], steps));
}

/** Returns the environments that changed meanwhile. */
async function judgeOnce<Work>(
  ctx: Ctx,
  ids: readonly string[],
  { judge, record, ifBusy }: JudgedFirst<Work>,
): Promise<readonly string[]> {
  const ahead = await judge(ctx, ids);
  return inTransaction(ctx, async (ctx) => {
    const locked = await lock(ctx, ids, ifBusy);
    const changed = await findChanged(ctx, locked, ahead);
    const same = new Set(locked.filter((id) => !changed.includes(id)));
    const judged = ahead.filter(({ id }) => same.has(id));
    if (same.size > 0) await record(ctx, [...same], judged);
    return changed;
  });
}

async function lock(ctx: Ctx, ids: readonly string[], ifBusy: 'wait' | 'leave' = 'wait'): Promise<readonly string[]> {
  if (ifBusy === 'leave') return tryLockEnvironments(ctx.db, ctx.org, ids);
  await lockEnvironments(ctx.db, ctx.org, ids);
  return ids;
}

async function findChanged(
  ctx: Ctx,
  ids: readonly string[],
  before: readonly EnvironmentStamp[],
): Promise<readonly string[]> {
  const now = new Map((await readStamps(ctx.db, { org_id: ctx.org, ids })).map(({ id, stamp }) => [id, stamp]));
  const then = new Map(before.map(({ id, stamp }) => [id, stamp]));
  return ids.filter((id) => now.get(id) !== then.get(id));
}

async function judgeLocked<Work>(
  ctx: Ctx,
  ids: readonly string[],
  { judge, record, ifBusy }: JudgedFirst<Work>,
): Promise<void> {
  const locked = await lock(ctx, ids, ifBusy);
  if (locked.length > 0) await record(ctx, locked, await judge(ctx, locked));
}
