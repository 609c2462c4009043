import { createBoundedMap } from './bounded-map.ts';

const HALF_LIFE_MS = 10_000;
/** Beyond this many, the longest unseen are taken for new. */
const REMEMBERED = 20_000;

export interface RecentCost {
  /** What it has cost of late: after ten seconds it counts half. */
  of(org: string): number;
  add(org: string, ms: number): void;
}

export function createRecentCost(now: () => number): RecentCost {
  const costs = createBoundedMap<{ readonly ms: number; readonly at: number }>(REMEMBERED);
  const of = (org: string) => {
    const cost = costs.get(org);
    return cost ? cost.ms * 0.5 ** ((now() - cost.at) / HALF_LIFE_MS) : 0;
  };
  return { of, add: (org, ms) => costs.set(org, { ms: of(org) + ms, at: now() }) };
}
