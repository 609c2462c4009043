export interface SlowShares {
  has(share: string): boolean;
  /** Counts an item that was separated from its group. Returns a function to call when it has ended. */
  enter(share: string, isAtFault: boolean): () => void;
}

/**
 * Shares that would delay a group: their statements failed even in a group of their own, or have been running for
 * longer than a group waits for a lock.
 */
export function createSlowShares(afterMs: number, now: () => number): SlowShares {
  const shares = new Map<string, { count: number; slowFrom: number }>();
  return {
    has(share) {
      if (shares.size === 0) return false;
      const slowFrom = shares.get(share)?.slowFrom;
      return slowFrom !== undefined && slowFrom <= now();
    },
    enter(share, isAtFault) {
      const entered = shares.get(share) ?? { count: 0, slowFrom: now() + afterMs };
      shares.set(share, entered);
      entered.count++;
      if (isAtFault) entered.slowFrom = now();
      return () => {
        if (--entered.count === 0) shares.delete(share);
      };
    },
  };
}
