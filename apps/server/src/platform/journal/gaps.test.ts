import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFull } from '../../../../../tools/test-size.ts';
import { advance, isDue, readSnapshot, type Snapshot, type WatchedGap, watchGaps } from './gaps.ts';

const RUNS = isFull ? 20_000 : 2_000;

describe('a pass', () => {
  const gap = { from: 5, to: 9, noticed: 30n };
  const nothing = { removed: [], remaining: [], added: [] };

  it('goes to the last visible number, and notices those that it did not see', () => {
    expect(advance(10, [], { seqs: [11, 14, 15, 18], xmin: 40n, isCut: false })).toEqual({
      ...nothing,
      highWater: 18,
      added: [
        { from: 12, to: 13 },
        { from: 16, to: 17 },
      ],
    });
  });

  it('keeps the rest of a gap in which a late entry appears', () => {
    expect(advance(10, [gap], { seqs: [6, 9, 11], xmin: 20n, isCut: false })).toEqual({
      highWater: 11,
      removed: [gap],
      remaining: [
        { from: 5, to: 5, noticed: 30n },
        { from: 7, to: 8, noticed: 30n },
      ],
      added: [],
    });
  });

  it('forgets a gap when every transaction that could fill it has ended, unless it was cut', () => {
    const over = { seqs: [], xmin: 30n, isCut: false };
    expect(advance(10, [gap], over)).toEqual({ ...nothing, highWater: 10, removed: [gap] });
    expect(advance(10, [gap], { ...over, xmin: 29n })).toEqual({ ...nothing, highWater: 10 });
    expect(advance(10, [gap], { ...over, isCut: true })).toEqual({ ...nothing, highWater: 10 });
  });
});

it('reads a snapshot of PostgreSQL', () => {
  expect(readSnapshot('10:20:10,14')).toEqual({ xmin: 10n, xmax: 20n, running: [10n, 14n] });
  expect(readSnapshot('20:20:')).toEqual({ xmin: 20n, xmax: 20n, running: [] });
});

/** Ways to get it wrong, each of which loses or misorders entries. */
interface Fault {
  /** A gap is noticed with the end of the snapshot instead of an id drawn after it. */
  readonly noticesEarly?: boolean;
  /** Writers draw the number before the id of their transaction. */
  readonly numberFirst?: boolean;
  /** A pass that was cut forgets gaps. */
  readonly forgetsWhenCut?: boolean;
  /** A gap that a snapshot shows to be due is read by the next pass, after what is new. */
  readonly readsGapsLater?: boolean;
}

type Step = 'draw first' | 'draw second' | 'commit' | 'roll back' | 'read' | 'store';

interface Transaction {
  id?: bigint;
  seq?: number;
  /** The numbers that were committed when this one was drawn. */
  causes: readonly number[];
  state: 'running' | 'committed' | 'rolled back';
}

const later = (a: bigint, b: bigint) => (a > b ? a : b);
const earlier = (a: bigint, b: bigint) => (a < b ? a : b);

/** Ids and numbers as PostgreSQL gives them, and a sequencer whose read and whose id are two steps. */
function createModel(fault: Fault, limit: number) {
  let nextId = 100n;
  let nextSeq = 1;
  const transactions: Transaction[] = [];
  const sequenced: number[] = [];
  let highWater = 0;
  let gaps: readonly WatchedGap[] = [];
  let seen: { seqs: number[]; snapshot: Snapshot; due: readonly WatchedGap[] } | undefined;

  const pick = (from: readonly Transaction[], place: number) => from[place % Math.max(1, from.length)];
  const running = () => transactions.filter(({ state }) => state === 'running');
  const drawId = (of: Transaction) => {
    of.id = nextId++;
  };
  const committedSeqs = () => transactions.flatMap(({ seq, state }) => (state === 'committed' ? (seq ?? []) : []));
  const drawSeq = (of: Transaction) => {
    of.seq = nextSeq++;
    of.causes = committedSeqs();
  };

  function snapshotNow(): Snapshot {
    const ids = running().flatMap(({ id }) => id ?? []);
    const ended = transactions.flatMap(({ id, state }) => (state === 'running' || id === undefined ? [] : [id]));
    const xmax = [...ended, ...ownIds].reduce(later, 99n) + 1n;
    const listed = ids.filter((id) => id < xmax);
    return { xmin: listed.reduce(earlier, xmax), xmax, running: listed };
  }

  const ownIds: bigint[] = [];

  function read(): void {
    const snapshot = snapshotNow();
    const due = gaps.filter((gap) => (fault.readsGapsLater ? gap.unended === undefined : isDue(gap, snapshot)));
    const wanted = committedSeqs().filter(
      (seq) => seq > highWater || due.some(({ gap }) => seq >= gap.from && seq <= gap.to),
    );
    seen = { seqs: wanted.sort((a, b) => a - b).slice(0, limit), snapshot, due };
  }

  function store(): void {
    if (!seen) return;
    const { seqs, snapshot, due } = seen;
    seen = undefined;
    const isCut = seqs.length === limit && !fault.forgetsWhenCut;
    const chosen = due.map(({ gap }) => gap);
    const advanced = advance(highWater, chosen, { seqs, xmin: snapshot.xmin, isCut });
    let noticed = 0n;
    if (seqs.length > 0 || advanced.removed.length > 0) {
      const own = nextId++;
      ownIds.push(own);
      noticed = fault.noticesEarly ? snapshot.xmax : own;
    }
    sequenced.push(...seqs);
    highWater = advanced.highWater;
    gaps = watchGaps(gaps, new Set(due), advanced, { noticed, snapshot, isCut });
    if (fault.readsGapsLater) gaps = gaps.map((gap) => (isDue(gap, snapshot) ? { ...gap, unended: undefined } : gap));
  }

  const drawMissing = (of: Transaction) => (of.id === undefined ? drawId(of) : drawSeq(of));
  const isHalf = ({ id, seq }: Transaction) => (id === undefined) !== (seq === undefined);
  const end = (state: Transaction['state'], place: number) => {
    const whole = pick(
      running().filter((each) => !isHalf(each)),
      place,
    );
    if (whole) whole.state = state;
  };
  const steps: Record<Step, (place: number) => void> = {
    'draw first': () => {
      const begun: Transaction = { state: 'running', causes: [] };
      transactions.push(begun);
      if (fault.numberFirst) drawSeq(begun);
      else drawId(begun);
    },
    'draw second': (place) => {
      const half = pick(running().filter(isHalf), place);
      if (half) drawMissing(half);
    },
    commit: (place) => end('committed', place),
    'roll back': (place) => end('rolled back', place),
    read,
    store,
  };

  return {
    step(step: Step, place: number): void {
      steps[step](place);
    },
    /** Ends all transactions, and passes until nothing is left. Returns what is wrong. */
    finish(): string[] {
      for (const each of running())
        each.state = each.id !== undefined && each.seq !== undefined ? 'committed' : 'rolled back';
      store();
      for (let left = 2 * transactions.length + 4; left > 0; left--) {
        read();
        store();
      }
      const places = new Map(sequenced.map((seq, place) => [seq, place]));
      const late = transactions.filter(({ seq, causes, state }) => {
        const place = state === 'committed' ? (places.get(seq ?? 0) ?? 0) : Number.POSITIVE_INFINITY;
        return causes.some((cause) => (places.get(cause) ?? 0) > place);
      });
      const committed = committedSeqs();
      const counts = new Map<number, number>();
      for (const seq of sequenced) counts.set(seq, (counts.get(seq) ?? 0) + 1);
      return [
        ...committed
          .filter((seq) => counts.get(seq) !== 1)
          .map((seq) => `${seq} is sequenced ${counts.get(seq) ?? 0} times`),
        ...late.map(({ seq }) => `${seq} comes before its cause`),
        ...(gaps.length > 0 ? [`${gaps.length} gaps are never forgotten`] : []),
      ];
    },
  };
}

const steps = fc.array(
  fc.tuple(
    fc.oneof(
      ...(['draw first', 'draw second', 'commit'] as const).map((step) => ({
        weight: 4,
        arbitrary: fc.constant<Step>(step),
      })),
      { weight: 1, arbitrary: fc.constant<Step>('roll back') },
      ...(['read', 'store'] as const).map((step) => ({ weight: 3, arbitrary: fc.constant<Step>(step) })),
    ),
    fc.nat(20),
  ),
  { maxLength: 60, size: 'max' },
);

function losses(fault: Fault): string[] {
  const found = fc.check(
    fc.property(steps, fc.integer({ min: 1, max: 4 }), (history, limit) => {
      const model = createModel(fault, limit);
      for (const [step, place] of history) model.step(step, place);
      expect(model.finish()).toEqual([]);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
  return found.failed ? [`seed ${found.seed}, path ${found.counterexamplePath}: ${found.errorInstance}`] : [];
}

it('sequences every committed entry once, whatever transactions do meanwhile, and forgets every gap', () => {
  expect(losses({})).toEqual([]);
});

it.each<[string, Fault]>([
  ['a gap is noticed with the end of the snapshot', { noticesEarly: true }],
  ['the number is drawn before the id', { numberFirst: true }],
  ['a pass that was cut forgets gaps', { forgetsWhenCut: true }],
  ['gaps are read later than what is new', { readsGapsLater: true }],
])('loses or misorders entries if %s', (_, fault) => {
  expect(losses(fault)).not.toEqual([]);
});
