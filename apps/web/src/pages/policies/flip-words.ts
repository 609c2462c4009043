import type { Flip, Simulation } from '@waymark/contract';

export interface FlipCounts {
  readonly red: number;
  readonly green: number;
  /** Waived, or no longer judged. */
  readonly other: number;
}

export function countFlips(flips: readonly Pick<Flip, 'to'>[]): FlipCounts {
  const red = flips.filter(({ to }) => to === 'non-compliant').length;
  const green = flips.filter(({ to }) => to === 'compliant').length;
  return { red, green, other: flips.length - red - green };
}

const verdicts = (count: number) => (count === 1 ? '1 verdict' : `${count.toLocaleString('en')} verdicts`);

/** Such as `3 verdicts would fail, 1 would pass`. */
export function flipsInWords({ red, green, other }: FlipCounts): string {
  const parts = [
    { count: red, word: 'would fail' },
    { count: green, word: 'would pass' },
    { count: other, word: 'would change otherwise' },
  ].filter(({ count }) => count > 0);
  if (parts.length === 0) return 'No verdicts would change';
  const [first, ...rest] = parts.map(
    ({ count, word }, i) => `${i === 0 ? verdicts(count) : count.toLocaleString('en')} ${word}`,
  );
  return [first, ...rest].join(', ');
}

/** The number of failing snapshots, before and after, over all environments. */
export function snapshotsInWords(environments: Simulation['environments']): string {
  const sum = (of: (each: Simulation['environments'][number]) => number) =>
    environments.reduce((total, each) => total + of(each), 0);
  const all = sum(({ snapshots }) => snapshots);
  const [before, after] = [sum(({ fails_now }) => fails_now), sum(({ would_fail }) => would_fail)];
  if (all === 0) return 'No snapshots in this period';
  const number = (count: number) => count.toLocaleString('en');
  return `${number(after)} of ${number(all)} snapshots would fail; ${number(before)} fail as recorded`;
}
