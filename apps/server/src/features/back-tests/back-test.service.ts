import type { Flip, SimulatedEnvironment, Simulation } from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { epochSeconds } from '../../platform/time.ts';
import type { EnvironmentView } from '../environments/environment.reads.ts';
import {
  findRunInterval,
  listRunsAtFirst,
  type RunInterval,
  type RunRow,
} from '../snapshots/read/run-intervals.reads.ts';
import { listRunsStarted } from './back-test.store.ts';
import type { TriedPolicy } from './back-test-outcome.ts';
import { type Comparing, compareRuns } from './compare-runs.ts';
import { createCoverage, isFlip, type Piece, piecesOf } from './compare-verdicts.ts';
import { type FoundFlip, toFlips } from './found-flips.ts';
import { createJudge } from './judge-again.ts';
import { readSnapshotTimes } from './snapshot-times.ts';
import { readWaived } from './waived.ts';

/** The policy to test, and where. */
export interface BackTest {
  /** Null when only waivers are excluded. */
  readonly policy: TriedPolicy | null;
  /** Ignores the decisions of other policies. */
  readonly isAlone: boolean;
  readonly withoutWaivers: ReadonlySet<string>;
  readonly environments: readonly EnvironmentView[];
  readonly span: { readonly from: Date; readonly to: Date };
}

export interface Limits {
  /** Aborts when the client is gone. */
  readonly stopped: AbortSignal;
  /** Aborts when time is up: the result then covers what was done so far. */
  readonly deadline: AbortSignal;
  readonly maxFlips?: number;
  readonly batchSize?: number;
  tell(progress: { environment: string; done: number; of: number }): Promise<void>;
}

const MAX_FLIPS = 10_000;
/** In characters, over all reasons. */
const MAX_REASONS_LENGTH = 16 * 1024 * 1024;
const MAX_RUNS_PER_BATCH = 1_000;
const MIN_RUNS_PER_BATCH = 20;
/** Pattern steps per character, over all runs of a batch. With names of 500 characters that takes at most 3 seconds. */
const MAX_STEPS_PER_BATCH = 50_000;

/** The result so far. */
interface Tally {
  readonly flips: Flip[];
  readonly environments: SimulatedEnvironment[];
  evaluated: number;
  found: number;
  reasons: number;
}

export async function simulate(ctx: Ctx, backTest: BackTest, limits: Limits): Promise<Simulation> {
  const { policy, isAlone, span } = backTest;
  const judge = policy && createJudge(policy, limits.stopped);
  const tally: Tally = { flips: [], environments: [], evaluated: 0, found: 0, reasons: 0 };
  let stoppedAt: Simulation['stopped_at'] = null;
  for (const environment of backTest.environments) {
    const interval = await findRunInterval(ctx.db, ctx.org, environment.id, span);
    if (!interval) {
      tally.environments.push({ environment: environment.name, snapshots: 0, would_fail: 0, fails_now: 0 });
      continue;
    }
    const times = policy?.policy.isTimed ? await readSnapshotTimes(ctx, interval, span.to) : null;
    const done = isEnough(tally, limits)
      ? interval.first - 1
      : await simulateOne(
          ctx,
          { environment, interval, policy, isAlone, judge, times },
          backTest.withoutWaivers,
          limits,
          tally,
        );
    if (done === interval.last) continue;
    stoppedAt = { environment: environment.name, snapshot_index: done + 1 };
    break;
  }
  return {
    flips: tally.flips,
    evaluated: tally.evaluated,
    span: { from: epochSeconds(span.from), to: epochSeconds(span.to) },
    environments: tally.environments,
    truncated: stoppedAt !== null,
    stopped_at: stoppedAt,
  };
}

function isEnough({ found, reasons }: Tally, { deadline, maxFlips = MAX_FLIPS }: Limits): boolean {
  return deadline.aborted || found >= maxFlips || reasons >= MAX_REASONS_LENGTH;
}

/** Returns the last snapshot that was fully evaluated. */
async function simulateOne(
  ctx: Ctx,
  comparing: Comparing,
  withoutWaivers: ReadonlySet<string>,
  limits: Limits,
  tally: Tally,
): Promise<number> {
  const { interval, environment } = comparing;
  const snapshotsTo = (index: number) => index - interval.first + 1;
  const waivedIn = await readWaived(ctx, interval, withoutWaivers);
  const outlook = createOutlook(interval, tally);
  let done = interval.first - 1;
  for await (const batch of batchesOf(ctx, interval, limits.batchSize ?? batchSizeFor(comparing.policy))) {
    const comparedOf = await compareRuns(ctx, comparing, batch.runs);
    for (const run of batch.runs) {
      const compared = comparedOf.get(run.no) ?? [];
      tally.evaluated += compared.length;
      outlook.add(run, piecesOf(compared, waivedIn(run.fingerprint)));
    }
    limits.stopped.throwIfAborted();
    done = batch.done;
    await limits.tell({ environment: environment.name, done: snapshotsTo(done), of: snapshotsTo(interval.last) });
    // At least the first snapshot, so that a very large environment is not left out.
    if (done >= interval.first && isEnough(tally, limits)) break;
  }
  tally.flips.push(...(await toFlips(ctx, environment.name, interval, outlook.flipsTo(done))));
  tally.environments.push({
    environment: environment.name,
    snapshots: snapshotsTo(done),
    ...outlook.failingTo(done),
  });
  return done;
}

/** Smaller for a policy with large patterns: the deadline is checked after each batch. */
function batchSizeFor(tried: TriedPolicy | null): number {
  const steps = (tried?.policy.searches ?? []).reduce((sum, { pattern }) => sum + pattern.size, 0);
  const affordable = steps === 0 ? MAX_RUNS_PER_BATCH : Math.floor(MAX_STEPS_PER_BATCH / steps);
  return Math.min(MAX_RUNS_PER_BATCH, Math.max(MIN_RUNS_PER_BATCH, affordable));
}

/** Collects the predicted verdicts of an environment. */
function createOutlook(interval: RunInterval, tally: Tally) {
  const [would, now] = [createCoverage(interval), createCoverage(interval)];
  const flips: FoundFlip[] = [];
  const addPiece = (run: RunRow, piece: Piece) => {
    if (piece.was === 'non-compliant') now.add(piece);
    if (piece.to === 'non-compliant') would.add(piece);
    if (!isFlip(piece)) return;
    flips.push({ run, piece });
    tally.found += 1;
    for (const text of piece.reasons) tally.reasons += text.length;
  };
  return {
    add(run: RunRow, pieces: readonly Piece[]) {
      for (const piece of pieces) addPiece(run, piece);
    },
    flipsTo: (index: number) => flips.filter(({ piece }) => piece.from <= index),
    failingTo: (index: number) => ({ would_fail: would.countTo(index), fails_now: now.countTo(index) }),
  };
}

interface Batch {
  readonly runs: readonly RunRow[];
  /** All runs that began in this snapshot or earlier are in this batch or an earlier one. */
  readonly done: number;
}

/** Yields each run once, in the order of their start. */
async function* batchesOf(ctx: Ctx, interval: RunInterval, limit: number): AsyncGenerator<Batch> {
  const atFirst = await listRunsAtFirst(ctx.db, interval);
  for (let i = 0; i + limit < atFirst.length; i += limit) {
    yield { runs: atFirst.slice(i, i + limit), done: interval.first - 1 };
  }
  let done = interval.first;
  yield { runs: atFirst.slice(-(atFirst.length % limit || limit)), done };
  let after = { after_index: interval.first, after_no: 0 };
  while (done < interval.last) {
    const runs = await listRunsStarted(ctx.db, { ...interval, ...after, limit });
    const last = runs.length < limit ? undefined : runs.at(-1);
    // More runs may have started in the snapshot in which a full batch ends.
    done = last ? last.from_index - 1 : interval.last;
    if (last) after = { after_index: last.from_index, after_no: last.no };
    yield { runs, done };
  }
}
