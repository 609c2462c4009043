import type { Ending } from '../run/exit-codes.ts';

export const importKinds = [
  'attestation type',
  'flow',
  'trail',
  'artifact',
  'attestation',
  'attachment',
  'approval',
  'environment',
  'snapshot',
] as const;
export type ImportKind = (typeof importKinds)[number];

/** The outcome for one item of the source, or for several at once. */
export interface Item {
  readonly kind: ImportKind;
  readonly name: string;
  readonly outcome: 'carried' | 'already_there' | 'not_carried' | 'failed';
  /** Of what was not carried, or failed. */
  readonly reason?: string;
  /** Of what failed: how the command ends. */
  readonly ending?: Ending;
  /** 1 unless given. */
  readonly count?: number;
}

export interface Counts {
  found: number;
  carried: number;
  already_there: number;
  not_carried: number;
  failed: number;
}

export interface Reason {
  readonly kind: ImportKind;
  readonly outcome: 'not_carried' | 'failed';
  readonly reason: string;
  readonly ending?: Ending;
  count: number;
  /** The first of them: there may be very many. */
  readonly examples: string[];
}

export interface Tally {
  readonly counts: Partial<Record<ImportKind, Counts>>;
  readonly reasons: Reason[];
}

const EXAMPLES_MAX = 5;
/** Reasons with a name in them could be as many as there are items. */
const REASONS_MAX = 200;

export const emptyTally = (): Tally => ({ counts: {}, reasons: [] });

export function addTo(tally: Tally, item: Item): void {
  const { kind, outcome, count = 1 } = item;
  const counts = tally.counts[kind] ?? { found: 0, carried: 0, already_there: 0, not_carried: 0, failed: 0 };
  tally.counts[kind] = counts;
  counts.found += count;
  counts[outcome] += count;
  if (outcome === 'not_carried' || outcome === 'failed') addReason(tally, item, outcome);
}

function addReason({ reasons }: Tally, item: Item, outcome: Reason['outcome']): void {
  const { kind, name, count = 1, ending } = item;
  const text = item.reason ?? '';
  const known = reasons.find((one) => one.kind === kind && one.outcome === outcome && one.reason === text);
  if (!known && reasons.length >= REASONS_MAX) return;
  const reason = known ?? { kind, outcome, reason: text, ...(ending && { ending }), count: 0, examples: [] };
  if (!known) reasons.push(reason);
  reason.count += count;
  if (reason.examples.length < EXAMPLES_MAX) reason.examples.push(name);
}
