import { type Problem, tooSlow, unavailable } from '../errors.ts';
import type { BodyLimits } from './body-limits.ts';

export interface Holders {
  /** Undefined without a credential. */
  readonly org: string | undefined;
  /** The id of a person or service account, or an address. */
  readonly actor: string;
}

type Measure = 'bytes' | 'arriving';

interface Share {
  readonly holder: string;
  readonly most: Readonly<Record<Measure, number>>;
  bytes: number;
  arriving: number;
  /** Bodies that refer to this share. It is removed with the last one. */
  bodies: number;
}

export interface Body {
  readonly shares: readonly Share[];
  readonly beganAt: number;
  readonly onEnded: (problem: Problem) => void;
  /** Why the budget ended it. */
  ended: Problem | undefined;
  bytes: number;
  received: number;
  paceTicks: number;
  paceBytes: number;
  isArriving: boolean;
  /** False while the sender waits for the server. */
  isAwaited: boolean;
  /** A handler keeps using the body after its client has left. */
  isInUse: boolean;
  isReleased: boolean;
}

/** `share`: a holder reached its own limit. `full`: no memory left for anyone. */
type Refusal = 'share' | 'full' | 'slow';

export interface BodyFigures {
  readonly heldBytes: number;
  readonly arriving: number;
  readonly refused: Readonly<Record<Refusal, number>>;
}

export interface BodyBudget {
  /** Throws when the holders have too many bodies in progress. `onEnded` is called when the budget ends the body. */
  begin(holders: Holders, onEnded: (problem: Problem) => void): Body;
  /** Reserves memory. Throws when there is none. */
  hold(body: Body, bytes: number): void;
  noteReceived(body: Body, bytes: number): void;
  /** Frees the memory of a body that is still arriving. */
  drop(body: Body): void;
  noteArrived(body: Body): void;
  /** Frees everything. Safe to call twice. */
  release(body: Body): void;
  /** Calls back at the tick after the next one. */
  callLater(giveUp: () => void): void;
  /** Ends bodies that arrive too slowly. One timer serves all bodies. */
  tick(): void;
  figures(): BodyFigures;
}

export function createBodyBudget(limits: BodyLimits): BodyBudget {
  const most = { bytes: limits.bytes, arriving: limits.arriving };
  const mostPerOrg = { bytes: limits.bytesPerHolder, arriving: limits.arrivingPerOrg };
  const mostPerActor = { bytes: limits.bytesPerHolder, arriving: limits.arrivingPerActor };
  const little = { bytes: limits.littleBytes, arriving: limits.littleArriving };
  const shares = new Map<string, Share>();
  /** Oldest first. */
  const arriving = new Set<Body>();
  const sums = { bytes: 0, arriving: 0 };
  const refused: Record<Refusal, number> = { share: 0, full: 0, slow: 0 };
  let ticks = 0;
  let later: (() => void)[] = [];
  let next: (() => void)[] = [];

  function begin({ org, actor }: Holders, onEnded: Body['onEnded']): Body {
    const ofActor = enterShare(actor, mostPerActor);
    const body: Body = {
      shares: org === undefined ? [ofActor] : [enterShare(org, mostPerOrg), ofActor],
      beganAt: ticks,
      onEnded,
      ended: undefined,
      bytes: 0,
      received: 0,
      // The first tick may come right away.
      paceTicks: -1,
      paceBytes: 0,
      isArriving: false,
      isAwaited: true,
      isInUse: false,
      isReleased: false,
    };
    try {
      take(body, 'arriving', 1);
    } catch (error) {
      release(body);
      throw error;
    }
    body.isArriving = true;
    arriving.add(body);
    return body;
  }

  function enterShare(holder: string, most: Share['most']): Share {
    let share = shares.get(holder);
    if (!share) {
      share = { holder, most, bytes: 0, arriving: 0, bodies: 0 };
      shares.set(holder, share);
    }
    share.bodies++;
    return share;
  }

  function take(body: Body, measure: Measure, amount: number): void {
    for (const share of body.shares) if (share[measure] + amount > share.most[measure]) throw refusal('share');
    const own = largestShare(body, measure) + amount;
    const limit = own > little[measure] ? most[measure] / 2 : most[measure];
    while (sums[measure] + amount > limit) endOneOfLargest(measure, own);
    add(body, measure, amount);
  }

  function add(body: Body, measure: Measure, amount: number): void {
    sums[measure] += amount;
    for (const share of body.shares) share[measure] += amount;
  }

  /** Ends the slowest body of the largest holder. Throws when no holder has more than `own`. */
  function endOneOfLargest(measure: Measure, own: number): void {
    let slowest: Body | undefined;
    let largest = own;
    for (const body of arriving) {
      const size = largestShare(body, measure);
      const isCandidate = size > own && size >= largest && (measure === 'arriving' || body.bytes > 0);
      if (!isCandidate) continue;
      if (!slowest || size > largest || speedOf(body) < speedOf(slowest)) slowest = body;
      largest = size;
    }
    const problem = refusal('full');
    if (!slowest) throw problem;
    end(slowest, problem);
  }

  function speedOf({ received, beganAt }: Body): number {
    return received / (ticks - beganAt + 1);
  }

  function refusal(reason: keyof typeof TOO_MANY): Problem {
    refused[reason]++;
    return unavailable(TOO_MANY[reason]);
  }

  function end(body: Body, problem: Problem): void {
    body.ended = problem;
    release(body);
    body.onEnded(problem);
  }

  function drop(body: Body): void {
    add(body, 'bytes', -body.bytes);
    body.bytes = 0;
  }

  function noteArrived(body: Body): void {
    if (!body.isArriving) return;
    body.isArriving = false;
    arriving.delete(body);
    add(body, 'arriving', -1);
  }

  function release(body: Body): void {
    if (body.isReleased) return;
    body.isReleased = true;
    noteArrived(body);
    drop(body);
    for (const share of body.shares) if (--share.bodies === 0) shares.delete(share.holder);
  }

  function checkPace(body: Body): void {
    if (!body.isAwaited || ++body.paceTicks < limits.paceTicks) return;
    if (body.paceBytes < limits.paceBytes) {
      refused.slow++;
      end(body, tooSlow('The body arrived too slowly. Send at least 1 KiB per second.'));
    }
    body.paceTicks = 0;
    body.paceBytes = 0;
  }

  return {
    begin,
    hold(body, bytes) {
      if (body.ended) throw body.ended;
      take(body, 'bytes', bytes);
      body.bytes += bytes;
    },
    noteReceived(body, bytes) {
      body.received += bytes;
      body.paceBytes += bytes;
    },
    drop,
    noteArrived,
    release,
    callLater: (giveUp) => void later.push(giveUp),
    tick() {
      ticks++;
      for (const body of arriving) checkPace(body);
      const due = next;
      next = later;
      later = [];
      for (const giveUp of due) giveUp();
    },
    figures: () => ({ heldBytes: sums.bytes, arriving: sums.arriving, refused: { ...refused } }),
  };
}

const TOO_MANY = {
  share:
    'You are sending too many request bodies to this server at once. Wait for some to finish, or send fewer at once.',
  full: 'This server is receiving too many request bodies. Try again in a moment.',
} as const;

function largestShare({ shares }: Body, measure: Measure): number {
  let largest = 0;
  for (const share of shares) if (share[measure] > largest) largest = share[measure];
  return largest;
}
