/** Numbers that are the same for the same seed, so that a failure can be reproduced. */
export interface Random {
  /** From 0 on, below `end`. */
  below(end: number): number;
  /** Both ends included. */
  between(first: number, last: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  shuffled<T>(items: readonly T[]): T[];
  /** One of the keys, weighted by its number. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;

  function next(): number {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  }

  const below = (end: number) => Math.floor(next() * end);

  return {
    below,
    between: (first, last) => first + below(last - first + 1),
    chance: (probability) => next() < probability,
    pick<T>(items: readonly T[]): T {
      if (items.length === 0) throw new Error('there is nothing to pick from');
      return items[below(items.length)] as T;
    },
    shuffled(items) {
      const order = items.map((item) => ({ item, at: next() }));
      return order.sort((a, b) => a.at - b.at).map(({ item }) => item);
    },
    weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key {
      const pairs = Object.entries(weights) as [Key, number][];
      let left = next() * pairs.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [key, weight] of pairs) {
        left -= weight;
        if (left < 0) return key;
      }
      return (pairs.at(-1) as [Key, number])[0];
    },
  };
}
