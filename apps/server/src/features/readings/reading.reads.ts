import { type NeededReading, type Reading, type Readings, readReading, sizeOfReading } from '@waymark/policy';
import type { Ctx } from '../../platform/ctx.ts';
import { statement } from '../../platform/db/statement.ts';
import { createFairCache } from '../../platform/fair-cache.ts';

export const listReadings = statement<{ org_id: string; ids: readonly string[] }, { id: string; content: string }>(
  'list_readings',
  'select id, content from reading where org_id = :org_id and id = any(:ids::text[])',
);

/** In items: some hundred bytes each. */
const CACHED_MAX = 100_000;
const BATCH_MAX = 100_000;

const cache = createFairCache<Reading>(CACHED_MAX, (reading) => sizeOfReading(reading) + 1);

/** Reads what decisions need. One that is missing is left out, and counts as evidence that cannot be read. */
export async function readReadings(
  { db, org }: Pick<Ctx, 'db' | 'org'>,
  needed: readonly NeededReading[],
): Promise<Readings> {
  const found = new Map<string, Reading>();
  const unknown = new Set<string>();
  for (const { id } of needed) {
    const known = cache.get(org, id);
    if (known) found.set(id, known);
    else unknown.add(id);
  }
  if (unknown.size === 0) return found;
  for (const { id, content } of await listReadings(db, { org_id: org, ids: [...unknown] })) {
    const reading = readReading(content);
    cache.set(org, id, reading);
    found.set(id, reading);
  }
  return found;
}

/** Works on items with the readings that they need, a bounded amount at a time. Returns the results in order. */
export async function withReadings<Item, Result>(
  ctx: Pick<Ctx, 'db' | 'org'>,
  items: readonly Item[],
  neededBy: (item: Item) => readonly NeededReading[],
  work: (some: readonly Item[], readings: Readings) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  let some: Item[] = [];
  let needed = new Map<string, NeededReading>();
  let size = 0;
  const flush = async () => {
    results.push(...(await work(some, await readReadings(ctx, [...needed.values()]))));
    [some, needed, size] = [[], new Map(), 0];
  };
  for (const item of items) {
    const its = neededBy(item);
    size += its.reduce((sum, { id, count }) => (needed.has(id) ? sum : sum + count), 0);
    if (size > BATCH_MAX && some.length > 0) {
      await flush();
      size = its.reduce((sum, { count }) => sum + count, 0);
    }
    some.push(item);
    for (const one of its) needed.set(one.id, one);
  }
  if (some.length > 0) await flush();
  return results;
}
