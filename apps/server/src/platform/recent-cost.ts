import { LRUCache } from 'lru-cache';

const HALF_LIFE_MS = 10_000;
/** Beyond this many, the least recently seen are treated as new. */
const REMEMBERED = 20_000;

export interface RecentCost {
  /** Recent cost, with a half-life of ten seconds. */
  of(org: string, at?: number): number;
  add(org: string, ms: number, at?: number): void;
}

export function createRecentCost(now: () => number): RecentCost {
  const costs = new LRUCache<string, { ms: number; at: number }>({ max: REMEMBERED });
  const left = (cost: { readonly ms: number; readonly at: number }, at: number) =>
    cost.ms * 0.5 ** ((at - cost.at) / HALF_LIFE_MS);
  return {
    of(org, at = now()) {
      const cost = costs.get(org);
      return cost ? left(cost, at) : 0;
    },
    add(org, ms, at = now()) {
      const cost = costs.get(org) ?? { ms: 0, at };
      cost.ms = left(cost, at) + ms;
      cost.at = at;
      costs.set(org, cost);
    },
  };
}
