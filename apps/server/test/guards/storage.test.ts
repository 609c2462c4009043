import { getSnapshot, reportServer, type Snapshot } from '@waymark/contract';
import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { isFull } from '../../../../tools/test-size.ts';
import { openDb } from '../../src/platform/db/db.ts';
import { givenEnvironment } from '../given/environments.ts';
import { type Answer, noLog, startApi } from '../harness.ts';

const ARTIFACTS = 2_000;
const REPORTS = isFull ? 1_000 : 100;

/** One row for the snapshot, three for the started run, one in the journal, and one to spare. */
const ROWS_PER_REPORT = 6;

const api = await startApi();
// Counts over all orgs, which nothing in the service may do.
const db = openDb({ url: api.url, poolSize: 1, statementTimeoutMs: 30_000 }, noLog);
afterAll(() => db.destroy());

async function countRows(): Promise<Record<string, number>> {
  // Partitions are counted, without their parent table.
  const tables = await sql<{ name: string }>`
    select oid::regclass::text as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace`.execute(db);
  const counts: Record<string, number> = {};
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ count: string }>`select count(*) as count from ${sql.raw(name)}`.execute(db);
    counts[name] = Number(rows[0]?.count);
  }
  return counts;
}

const fingerprintOf = (number: number) => number.toString(16).padStart(64, '0');

async function report(fingerprints: readonly number[]): Promise<unknown> {
  const artifacts = fingerprints.map((fingerprint, i) => ({
    digests: { [`registry.example.com/team/app-${i}:latest`]: fingerprintOf(fingerprint) },
    creationTimestamp: 1_700_000_000 + i,
  }));
  const answer = await api.call(reportServer, { params: { env_name: 'prod' }, body: { artifacts } });
  return answer.headers['waymark-snapshot'];
}

async function running(index: number): Promise<string[]> {
  const params = { env_name: 'prod', snapshot_expression: String(index) };
  const { body } = (await api.call(getSnapshot, { params })) as Answer<Snapshot>;
  return body.artifacts.filter(({ annotation }) => annotation.type !== 'exited').map(({ fingerprint }) => fingerprint);
}

it(`one artifact of ${ARTIFACTS} that changes ${REPORTS} times adds rows for itself only`, {
  timeout: 1_800_000,
}, async () => {
  await givenEnvironment(api, 'prod');
  const fingerprints = Array.from({ length: ARTIFACTS }, (_, i) => i + 1);
  expect(await report(fingerprints)).toBe('1; created');
  const before = await countRows();

  const sent = [[...fingerprints]];
  for (let i = 1; i < REPORTS; i++) {
    api.clock.now = new Date(api.clock.now.getTime() + 60_000);
    fingerprints[(i * 37) % ARTIFACTS] = ARTIFACTS + i;
    sent.push([...fingerprints]);
    expect(await report(fingerprints)).toBe(`${i + 1}; created`);
  }

  const after = await countRows();
  const added = Object.keys(after).map((table) => [table, (after[table] ?? 0) - (before[table] ?? 0)] as const);
  const total = added.reduce((sum, [, count]) => sum + count, 0);
  const counts = JSON.stringify(Object.fromEntries(added.filter(([, count]) => count > 0)));
  expect(total, counts).toBeLessThanOrEqual(ROWS_PER_REPORT * (REPORTS - 1));

  for (const index of [1, REPORTS / 2, REPORTS]) {
    const shown = await running(index);
    expect(shown).toHaveLength(ARTIFACTS);
    expect(shown.toSorted()).toEqual(sent[index - 1]?.map(fingerprintOf).toSorted());
  }
});
