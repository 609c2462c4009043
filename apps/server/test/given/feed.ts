import { sql } from 'kysely';
import { expect } from 'vitest';
import { feedProcessor } from '../../src/features/feed/feed.processor.ts';
import { LANES } from '../../src/platform/journal/lanes.ts';
import { takeTurn } from '../../src/platform/journal/processor.ts';
import type { TestApi } from '../harness.ts';

const HOLDER = '00000000-0000-7000-8000-000000000001';

/**
 * What a worker does when it is woken: makes events of what the journal has. What it gives back does so again and again,
 * until nothing waits for a transaction that is still running somewhere.
 */
export async function givenFeed(api: TestApi): Promise<() => Promise<void>> {
  const processor = feedProcessor((orgs) => api.listeners.wake(orgs));
  const lanes = Array.from({ length: LANES }, (_, lane) => lane);
  await api.db
    .insertInto('processor_position')
    .values(lanes.map((lane) => ({ processor: processor.name, lane, holder: HOLDER })))
    .execute();
  const takeTurns = async () => {
    for (const lane of lanes) {
      while ((await takeTurn({ db: api.db, processor, lane, holder: HOLDER })).kind === 'more');
    }
    const { rows } = await sql<{ behind: number }>`
      select count(journal.org_id) as behind from processor_position as position
      join journal on journal.lane = position.lane and (journal.xid, journal.seq) > (position.xid, position.seq)`.execute(
      api.db,
    );
    return rows[0]?.behind;
  };
  return () => expect.poll(takeTurns, { timeout: 20_000 }).toBe(0);
}
