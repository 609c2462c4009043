import { isUnavailable } from './failure.ts';

const MAX_BATCH = 64;
const MAX_RUNNING = 2;

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Lets concurrent callers share one statement. A lone call goes out at once; while two batches are under way, what
 * arrives waits for the next and leaves together. `run` gives one result for each item, in order. When it refuses
 * several, each is run alone, so that a neighbour's fault is never yours.
 */
export function batch<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let running = 0;
  let planned = false;

  function plan(): void {
    if (planned || running >= MAX_RUNNING || waiting.length === 0) return;
    planned = true;
    // After this turn of the event loop has read every socket that was ready.
    setImmediate(() => {
      planned = false;
      void send(waiting.splice(0, MAX_BATCH));
      plan();
    });
  }

  async function send(together: Waiting<Item, Result>[]): Promise<void> {
    running++;
    try {
      await settle(together);
    } finally {
      running--;
      plan();
    }
  }

  async function settle(together: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await run(together.map(({ item }) => item));
      for (const [i, { resolve }] of together.entries()) resolve(results[i] as Result);
    } catch (error) {
      await settleFailed(together, error);
    }
  }

  async function settleFailed(together: readonly Waiting<Item, Result>[], error: unknown): Promise<void> {
    const isOneOfThem = together.length > 1 && !isUnavailable(error);
    for (const one of together) {
      if (isOneOfThem) await settle([one]);
      else one.reject(error);
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      plan();
    });
}
