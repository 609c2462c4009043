import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';
import { unavailable } from './errors.ts';
import { lastOfLargest } from './last-of-largest.ts';
import { lazy } from './lazy.ts';
import { createRecentCallers } from './recent-callers.ts';
import { createRecentCost } from './recent-cost.ts';

type Limit = number | (() => number);

interface Congestion {
  /** How long somebody has been waiting without a break. */
  readonly afterMs: number;
  /** How long a newcomer may expect to wait. */
  readonly patienceMs: number;
}

export interface FairQueueLimits {
  /** Limit for this process, over all orgs. */
  readonly running: number;
  /** A function where the limit depends on load. */
  readonly runningPerOrg: Limit;
  /** For an org while no other asks for anything; the usual limit unless given. */
  readonly runningAlone?: Limit;
  /** For an org that asks for less than the average, by `weigh`; the usual limit unless given. */
  readonly runningOfLight?: Limit;
  /**
   * For the org that asks for the most, while `heaviestFrom` of its requests wait and it is not alone; the usual limit
   * unless given.
   */
  readonly runningOfHeaviest?: Limit;
  readonly heaviestFrom?: number;
  readonly waiting: number;
  readonly waitingPerOrg: number;
  /** How long anybody waits for a turn. */
  readonly patienceMs: number;
  /** When the queue is congested, and newcomers that would wait long are refused; never unless given. */
  readonly congestion?: Congestion;
  /** The same for the org that asks for the most; as for others unless given. */
  readonly congestionOfHeaviest?: Congestion;
  /**
   * With fewer waiting, the queue is not congested: they may be callers that wait for one answer before they ask again.
   */
  readonly congestedFrom?: number;
  /** Orgs that recently used more than this leave one place free for the others. */
  readonly heavyFromMs: number;
  /** The error for a request that gets no turn. */
  readonly refusal: string;
  readonly retryAfterSeconds?: number;
}

export interface QueueFigures {
  readonly running: number;
  readonly waiting: number;
  readonly admitted: number;
  readonly refused: number;
  readonly waitedSeconds: number;
}

/** Counters of a queue. */
type QueueSums = Omit<QueueFigures, 'waitedSeconds'> & { readonly waitedMs: number };

export function figuresOf({ waitedMs, ...counts }: QueueSums): QueueFigures {
  return { ...counts, waitedSeconds: waitedMs / 1000 };
}

/**
 * Turns at something that all orgs share. The next turn goes to the org with the least recent use: an org that asks for
 * much, or for slow work, waits behind those that ask for little.
 */
export interface FairQueue {
  run<T>(org: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** The same for the rest of work that already had a turn: it goes before others of its org. */
  runNext<T>(org: string, work: () => Promise<T>): Promise<T>;
  /** Takes a turn; the returned function ends it. */
  enter(org: string, signal?: AbortSignal): Promise<() => void>;
  /** Whether a newcomer would wait in vain and should be refused before any work is done. It counts as refused. */
  turnsAway(org: string): boolean;
  /** Whether so many wait that the queue may be congested. */
  isLong(): boolean;
  /**
   * Records the size of one piece of work, in any unit. The demand of an org is what it has running and waiting, times
   * the weight of its latest work. Duration does not show demand: one heavy org slows down everybody.
   */
  weigh(org: string, weight: number): void;
  figures(): QueueFigures;
  /** Refuses whoever waits, and whoever comes later. */
  close(): void;
}

/** The demand of orgs. */
interface Demands {
  /** Of all orgs together. */
  readonly all: number;
  /** Of the org with the most. */
  readonly most: number;
}

/** Ends a turn, at once or when the turn has come. */
type Entered = (() => void) | Promise<() => void>;

interface Waiting {
  readonly askedAt: number;
  start(isHeavy: boolean): void;
  refuse(reason: unknown): void;
}

interface Share {
  running: number;
  /** Average weight of one piece of its work. */
  weight: number;
  /** In order of arrival. */
  readonly waiting: Set<Waiting>;
  /** Those that go before the others. */
  readonly next: Set<Waiting>;
  /** Since when somebody has been waiting without a break. */
  congestedSince: number;
  /** When somebody was last refused because of congestion. */
  turnedAwayAt: number;
  startedAt: number;
  /** Time between two starts while somebody waits. */
  everyMs: number;
}

/** Weight of the latest sample in the mean. */
const LATEST = 0.2;
/** Beyond this many orgs, the least recently seen are treated as new. */
const WEIGHTS_KNOWN = 20_000;

/** A refusal is remembered for this long. */
const REMEMBERED_MS = 1_000;

const NEVER = Number.NEGATIVE_INFINITY;
const NEVER_CONGESTED: Congestion = { afterMs: Number.POSITIVE_INFINITY, patienceMs: Number.POSITIVE_INFINITY };

export function createFairQueue(limits: FairQueueLimits, now: () => number = () => performance.now()): FairQueue {
  const shares = new Map<string, Share>();
  const cost = createRecentCost(now);
  const asking = createRecentCallers();
  const weights = new LRUCache<string, number>({ max: WEIGHTS_KNOWN });
  const sums = { running: 0, waiting: 0, admitted: 0, refused: 0, waitedMs: 0 };
  const {
    congestion = NEVER_CONGESTED,
    congestionOfHeaviest = congestion,
    congestedFrom = 1,
    heaviestFrom = 1,
  } = limits;
  const heavyMost = Math.max(1, limits.running - 1);
  let heavyRunning = 0;
  let isClosed = false;
  let patience: NodeJS.Timeout | undefined;

  async function run<T>(org: string, work: () => Promise<T>, signal?: AbortSignal, isNext = false): Promise<T> {
    const entered = enter(org, signal, isNext);
    const end = entered instanceof Promise ? await entered : entered;
    try {
      return await work();
    } finally {
      end();
    }
  }

  function enter(org: string, signal: AbortSignal | undefined, isNext: boolean): Entered {
    if (isClosed) throw refuse('The server is shutting down');
    signal?.throwIfAborted();
    const askedAt = now();
    asking.note(org, askedAt);
    const isHeavy = startAtOnce(org, askedAt);
    return isHeavy === undefined ? takeTurn(org, askedAt, signal, isNext) : endOf(org, isHeavy, askedAt);
  }

  function endOf(org: string, isHeavy: boolean, startedAt: number): () => void {
    return () => {
      const at = now();
      cost.add(org, at - startedAt, at);
      leave(org, isHeavy);
    };
  }

  /** Nobody waits when there is room and no queue: most turns are taken that way, and cost next to nothing. */
  function startAtOnce(org: string, at: number): boolean | undefined {
    if (sums.waiting > 0 || sums.running >= limits.running) return undefined;
    const share = shares.get(org);
    if ((share?.running ?? 0) >= mostRunning(org, share, at, sumDemands)) return undefined;
    const isHeavy = cost.of(org, at) > limits.heavyFromMs;
    if (isHeavy && heavyRunning >= heavyMost) return undefined;
    sums.admitted++;
    begin(share ?? open(org), isHeavy);
    return isHeavy;
  }

  function open(org: string): Share {
    const share = {
      running: 0,
      weight: weights.get(org) ?? 1,
      waiting: new Set<Waiting>(),
      next: new Set<Waiting>(),
      congestedSince: 0,
      turnedAwayAt: NEVER,
      startedAt: 0,
      everyMs: 0,
    };
    shares.set(org, share);
    return share;
  }

  function begin(share: Share, isHeavy: boolean): void {
    share.running++;
    sums.running++;
    if (isHeavy) heavyRunning++;
  }

  function mostRunning(org: string, share: Share | undefined, at: number, demands: () => Demands): number {
    const { runningPerOrg, runningAlone, runningOfLight, runningOfHeaviest } = limits;
    if (runningAlone !== undefined && asking.isAlone(org, at)) return numberOf(runningAlone);
    if (
      runningOfHeaviest !== undefined &&
      share &&
      share.waiting.size >= heaviestFrom &&
      isHeaviest(share, demands())
    ) {
      return numberOf(runningOfHeaviest);
    }
    return numberOf(runningOfLight !== undefined && isLight(share, demands()) ? runningOfLight : runningPerOrg);
  }

  function sumDemands(): Demands {
    let [all, most] = [0, 0];
    for (const share of shares.values()) {
      const demand = demandOf(share);
      all += demand;
      most = Math.max(most, demand);
    }
    return { all, most };
  }

  function isLight(share: Share | undefined, { all }: Demands): boolean {
    return demandOf(share) * shares.size < all;
  }

  function takeTurn(
    org: string,
    askedAt: number,
    signal: AbortSignal | undefined,
    isNext: boolean,
  ): Promise<() => void> {
    const share = shares.get(org) ?? open(org);
    if (share.waiting.size >= limits.waitingPerOrg || !makeRoom(share)) {
      forget(org, share);
      throw refuse();
    }
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const one: Waiting = {
      askedAt,
      start(isHeavy) {
        const at = now();
        noteStart(share, at);
        stopWaiting(share, one);
        sums.admitted++;
        sums.waitedMs += at - askedAt;
        signal?.removeEventListener('abort', abort);
        resolve(endOf(org, isHeavy, at));
      },
      refuse(reason) {
        stopWaiting(share, one);
        forget(org, share);
        signal?.removeEventListener('abort', abort);
        reject(reason);
      },
    };
    const abort = () => one.refuse(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    beginWaiting(share, one, isNext);
    dispatch();
    return promise;
  }

  /** When too many wait, the last in the longest row has to leave, unless that would be the newcomer. */
  function makeRoom(asking: Share): boolean {
    if (sums.waiting < limits.waiting) return true;
    const rows = shares.values().map(({ waiting }) => waiting);
    const last = lastOfLargest(rows, asking.waiting.size + 1);
    last?.refuse(refuse());
    return last !== undefined;
  }

  function beginWaiting(share: Share, one: Waiting, isNext: boolean): void {
    if (share.waiting.size === 0) beginRow(share, one.askedAt);
    share.waiting.add(one);
    if (isNext) share.next.add(one);
    sums.waiting++;
    patience ??= setTimeout(refuseTheLate, limits.patienceMs);
  }

  function stopWaiting(share: Share, one: Waiting): void {
    share.waiting.delete(one);
    share.next.delete(one);
    if (--sums.waiting > 0) return;
    clearTimeout(patience);
    patience = undefined;
  }

  /** One timer serves everyone who waits: those of an org wait in order of arrival. */
  function refuseTheLate(): void {
    const latest = now() - limits.patienceMs;
    let firstToStay = Number.POSITIVE_INFINITY;
    for (const { waiting } of shares.values()) {
      for (const one of waiting) {
        if (one.askedAt > latest) {
          firstToStay = Math.min(firstToStay, one.askedAt);
          break;
        }
        one.refuse(refuse());
      }
    }
    patience = sums.waiting > 0 ? setTimeout(refuseTheLate, Math.ceil(firstToStay - latest)) : undefined;
  }

  function beginRow(share: Share, at: number): void {
    Object.assign(share, { congestedSince: at, startedAt: at });
    if (!wasTurnedAwayOfLate(share, at)) share.everyMs = 0;
  }

  /** A queue that is short only because newcomers are refused would come back as soon as they are not. */
  function wasTurnedAwayOfLate({ turnedAwayAt }: Share, at: number): boolean {
    return at - turnedAwayAt < REMEMBERED_MS;
  }

  function noteStart(share: Share, at: number): void {
    const passed = at - share.startedAt;
    share.everyMs = share.everyMs === 0 ? passed : share.everyMs * 0.9 + passed * 0.1;
    share.startedAt = at;
  }

  function dispatch(): void {
    while (sums.waiting > 0 && sums.running < limits.running) {
      const next = findNext();
      if (!next) return;
      const [one] = next.share.next.size > 0 ? next.share.next : next.share.waiting;
      if (!one) return;
      begin(next.share, next.isHeavy);
      one.start(next.isHeavy);
    }
  }

  function isHeaviest(share: Share, { most }: Demands): boolean {
    return demandOf(share) >= most;
  }

  function isHopeless(share: Share): boolean {
    if (share.waiting.size < congestedFrom) return false;
    const at = now();
    const { afterMs, patienceMs } = isHeaviest(share, sumDemands()) ? congestionOfHeaviest : congestion;
    if (at - share.congestedSince <= afterMs && !wasTurnedAwayOfLate(share, at)) return false;
    return share.waiting.size * share.everyMs > patienceMs;
  }

  function findNext(): { readonly share: Share; readonly isHeavy: boolean } | undefined {
    const at = now();
    const demands = lazy(sumDemands);
    let least: { readonly share: Share; readonly used: number } | undefined;
    for (const [org, share] of shares) {
      if (share.waiting.size === 0 || share.running >= mostRunning(org, share, at, demands)) continue;
      const used = cost.of(org, at);
      if (used < (least?.used ?? Number.POSITIVE_INFINITY)) least = { share, used };
    }
    if (!least) return undefined;
    const isHeavy = least.used > limits.heavyFromMs;
    return isHeavy && heavyRunning >= heavyMost ? undefined : { share: least.share, isHeavy };
  }

  function leave(org: string, wasHeavy: boolean): void {
    const share = shares.get(org);
    sums.running--;
    if (wasHeavy) heavyRunning--;
    if (share) {
      share.running--;
      if (shares.size > 1) {
        // Among orgs with equally little use, the one without a turn for longest goes first.
        shares.delete(org);
        shares.set(org, share);
      }
      forget(org, share);
    }
    dispatch();
  }

  function forget(org: string, share: Share): void {
    if (share.running === 0 && share.waiting.size === 0) shares.delete(org);
  }

  function refuse(reason = limits.refusal): Error {
    sums.refused++;
    return unavailable(reason, { retryAfterSeconds: limits.retryAfterSeconds ?? 1 });
  }

  return {
    run: (org, work, signal) => run(org, work, signal),
    runNext: (org, work) => run(org, work, undefined, true),
    enter: async (org, signal) => enter(org, signal, false),
    isLong: () => sums.waiting >= congestedFrom,
    weigh(org, weight) {
      const before = weights.get(org) ?? weight;
      const mean = before + (weight - before) * LATEST;
      weights.set(org, mean);
      const share = shares.get(org);
      if (share) share.weight = mean;
    },
    turnsAway(org) {
      const share = shares.get(org);
      if (!share || !isHopeless(share)) return false;
      share.turnedAwayAt = now();
      sums.refused++;
      return true;
    },
    figures: () => figuresOf(sums),
    close() {
      isClosed = true;
      for (const share of shares.values())
        for (const one of share.waiting) one.refuse(refuse('The server is shutting down'));
    },
  };
}

function demandOf(share: Share | undefined): number {
  return share ? (share.running + share.waiting.size) * share.weight : 0;
}

function numberOf(limit: Limit): number {
  return typeof limit === 'number' ? limit : limit();
}
