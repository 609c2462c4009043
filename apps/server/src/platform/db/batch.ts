const MAX_BATCH = 64;
const MAX_RUNNING = 2;

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Lets concurrent callers share one statement. A lone call goes out at once; while two batches are under way, what
 * arrives waits for the next and leaves together. `run` gives one result for each item, in order.
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
      const results = await run(together.map(({ item }) => item));
      for (const [i, { resolve }] of together.entries()) resolve(results[i] as Result);
    } catch (error) {
      for (const { reject } of together) reject(error);
    } finally {
      running--;
      plan();
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      plan();
    });
}
