/** Numbers that a pass has gone beyond without seeing an entry. */
export interface Gap {
  readonly from: number;
  readonly to: number;
  /** The id of the pass that noticed it: an entry in the gap can only come from a transaction with a lower id. */
  readonly noticed: bigint;
}

/** A range that is a gap from this pass on. */
export type NewGap = Omit<Gap, 'noticed'>;

/** What one statement saw. */
export interface Seen {
  /** The numbers of the visible entries, lowest first, within the gaps that were looked at and above the high water. */
  readonly seqs: readonly number[];
  /** Every transaction below it had ended. */
  readonly xmin: bigint;
  /** Whether there may have been more. */
  readonly isCut: boolean;
}

export interface Advance {
  readonly highWater: number;
  readonly removed: readonly Gap[];
  /** Parts of removed gaps that remain. */
  readonly remaining: readonly Gap[];
  readonly added: readonly NewGap[];
}

/**
 * What a pass makes of what it saw. A gap is forgotten only when every transaction that could have drawn its numbers has
 * ended, and the statement that saw so saw no entry in it and was not cut.
 */
export function advance(highWater: number, readGaps: readonly Gap[], { seqs, xmin, isCut }: Seen): Advance {
  const late = seqs.filter((seq) => seq <= highWater);
  const fresh = seqs.slice(late.length);
  const removed: Gap[] = [];
  const remaining: Gap[] = [];
  let next = 0;
  for (const gap of readGaps) {
    const found: number[] = [];
    for (let seq = late[next]; seq !== undefined && seq <= gap.to; seq = late[++next]) found.push(seq);
    const isOver = !isCut && xmin >= gap.noticed;
    if (found.length === 0 && !isOver) continue;
    removed.push(gap);
    if (!isOver) remaining.push(...between(gap.from, gap.to, found).map((part) => ({ ...part, noticed: gap.noticed })));
  }
  const end = fresh.at(-1) ?? highWater;
  return { highWater: end, removed, remaining, added: between(highWater + 1, end, fresh) };
}

/** The ranges of `from` to `to` that are left when the sorted `numbers` are taken out. */
function between(from: number, to: number, numbers: readonly number[]): NewGap[] {
  const left: NewGap[] = [];
  let start = from;
  for (const number of numbers) {
    if (number > start) left.push({ from: start, to: number - 1 });
    start = number + 1;
  }
  if (start <= to) left.push({ from: start, to });
  return left;
}

/** A snapshot of PostgreSQL in its text form, `xmin:xmax:xip,…`. */
export interface Snapshot {
  readonly xmin: bigint;
  readonly xmax: bigint;
  /** The ids between them that were still running. */
  readonly running: readonly bigint[];
}

export function readSnapshot(text: string): Snapshot {
  const [xmin = '', xmax = '', running = ''] = text.split(':');
  return { xmin: BigInt(xmin), xmax: BigInt(xmax), running: running === '' ? [] : running.split(',').map(BigInt) };
}

/**
 * How many transactions below an id had not ended. It never grows, and nothing in a gap can have become visible while it
 * stays the same.
 */
function countUnended({ xmax, running }: Snapshot, id: bigint): bigint {
  const notStarted = id > xmax ? id - xmax : 0n;
  return BigInt(running.filter((each) => each < id).length) + notStarted;
}

/** A gap, and what its last read saw. */
export interface WatchedGap {
  readonly gap: Gap;
  /** How many transactions could still show an entry in it when it was last read; undefined until it was read whole. */
  readonly unended: bigint | undefined;
}

/**
 * Whether a snapshot may show an entry in a gap that its last read did not. Only then is the gap read, and then with the
 * same snapshot as what is new: an entry in it may be the cause of one above it.
 */
export function isDue({ gap, unended }: WatchedGap, snapshot: Snapshot): boolean {
  return unended === undefined || countUnended(snapshot, gap.noticed) < unended;
}

/** The gaps after a pass, lowest first. Those of a pass that was cut have not been read whole. */
export function watchGaps(
  gaps: readonly WatchedGap[],
  readGaps: ReadonlySet<WatchedGap>,
  { removed, remaining, added }: Advance,
  { noticed, snapshot, isCut }: { noticed: bigint; snapshot: Snapshot; isCut: boolean },
): WatchedGap[] {
  const gone = new Set(removed);
  const read = (gap: Gap): WatchedGap => ({ gap, unended: isCut ? undefined : countUnended(snapshot, gap.noticed) });
  const unchanged = gaps
    .filter(({ gap }) => !gone.has(gap))
    .map((each) => (readGaps.has(each) ? read(each.gap) : each));
  const fresh = added.map((gap): WatchedGap => ({ gap: { ...gap, noticed }, unended: undefined }));
  return [...unchanged, ...remaining.map(read), ...fresh].sort((a, b) => a.gap.from - b.gap.from);
}
