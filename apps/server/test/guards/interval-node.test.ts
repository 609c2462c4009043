import { intervalNode } from '@waymark/snapshots';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { startApi } from '../harness.ts';

const api = await startApi();

/** The database stores the node that readers search for. */
it('intervals have the same node in the database and in the code', async () => {
  const { rows } = await sql<{ first: number; until: number; node: number }>`
    select first, until, interval_node(first, until) as node
    from generate_series(1, 70) as first cross join generate_series(2, 71) as until where first < until
    union all
    select first, until, interval_node(first, until) as node
    from unnest(array[1, 4095, 4096, 4097, 500000, 2147483640]) as first
    cross join unnest(array[4098, 8192, 500001, 1000000, 2147483646, 2147483647]) as until where first < until`.execute(
    api.db,
  );
  expect(rows.length).toBeGreaterThan(2_000);
  expect(rows.filter(({ first, until, node }) => node !== intervalNode(first, until))).toEqual([]);
});
