import { setImmediate } from 'node:timers/promises';
import { listEnvironmentEvents } from '@waymark/contract';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { isFull } from '../../../../../../tools/test-size.ts';
import { collectGarbage } from '../../../../test/collect-garbage.ts';
import { environmentOf, givenEnvironment } from '../../../../test/given/environments.ts';
import { startApi } from '../../../../test/harness.ts';

const MiB = 1024 ** 2;
const SNAPSHOTS = isFull ? 500_000 : 10_000;
const BATCH_SIZE = 50_000;

const api = await startApi();

/** Each snapshot replaces everything that ran before: two events each, and one for the first. */
async function givenLongHistory(name: string): Promise<void> {
  await givenEnvironment(api, name);
  const { id } = await environmentOf(api, name);
  const of = sql`${api.org.id}::uuid, ${id}::uuid`;
  for (let from = 1; from <= SNAPSHOTS; from += BATCH_SIZE) {
    const numbers = sql`generate_series(${from}::integer, ${Math.min(SNAPSHOTS, from + BATCH_SIZE - 1)}::integer)`;
    const until = sql`case when i < ${SNAPSHOTS} then i + 1 end`;
    await sql`insert into snapshot (org_id, environment_id, index, created_at, created_by, trigger, compliance,
        artifact_count, compliant_count, non_compliant_count, started_count, event_total)
      select ${of}, i, '2026-01-01Z'::timestamptz + i * interval '1 minute', 'tests', 'report', 'unknown', 1, 0, 0, 1,
        2 * i - 1 from ${numbers} as i`.execute(api.db);
    await sql`insert into running (org_id, environment_id, no, fingerprint, name, from_index, until_index, lineage,
        started_with, deployments)
      select ${of}, i, lpad(to_hex(i), 64, '0'), 'registry.example.com/team/app:' || i, i, ${until}, 'name app', 1,
        array[i]
      from ${numbers} as i`.execute(api.db);
    await sql`insert into running_instances (org_id, environment_id, no, from_index, until_index, count, detail)
      select ${of}, i, i, ${until}, 1, '{}' from ${numbers} as i`.execute(api.db);
    await sql`insert into running_verdict (org_id, environment_id, no, from_index, until_index, cause, compliance,
        artifact_ids, replaced_no)
      select ${of}, i, i, ${until}, 'started', 'unknown', '{}', nullif(i - 1, 0) from ${numbers} as i`.execute(api.db);
  }
  await sql`update environment set snapshot_count = ${SNAPSHOTS}, run_count = ${SNAPSHOTS}
    where org_id = ${api.org.id} and id = ${id}`.execute(api.db);
  await sql`analyze snapshot, running, running_instances, running_verdict`.execute(api.owner);
}

it('a long audit log is streamed in little memory, and its pages are read anywhere', { timeout: 900_000 }, async () => {
  await givenLongHistory('long');
  const url = await api.app.http.listen({ port: 0, host: '127.0.0.1' });
  const memory = await watchMemory();

  const answer = await fetch(`${url}/api/v2/environments/acme/long/auditlog`, {
    headers: { authorization: `Bearer ${api.org.keys.reader}` },
  });
  let lines = 0;
  for await (const chunk of answer.body ?? []) {
    for (const byte of chunk) if (byte === 10) lines += 1;
    memory.sample();
  }

  expect(lines).toBe(1 + 2 * SNAPSHOTS - 1);
  expect(memory.growth()).toBeLessThan(64 * MiB);
  for (const page of [1, SNAPSHOTS, 2 * SNAPSHOTS - 1]) {
    const read = await api.call(listEnvironmentEvents, {
      params: { env_name: 'long' },
      query: { page: String(page), per_page: '1', reverse: 'true' },
    });
    expect(read).toMatchObject({
      headers: { 'x-total-count': String(2 * SNAPSHOTS - 1) },
      body: [{ type: page === 1 || page % 2 === 1 ? 'started' : 'exited', snapshot_index: Math.floor(page / 2) + 1 }],
    });
  }
});

/** Measures the largest growth of memory in use, without garbage. */
async function watchMemory() {
  collectGarbage();
  await setImmediate();
  collectGarbage();
  const start = process.memoryUsage();
  let calls = 0;
  let growth = 0;
  const sample = () => {
    calls += 1;
    if (calls % 50 !== 0) return;
    collectGarbage();
    const now = process.memoryUsage();
    growth = Math.max(growth, now.heapUsed - start.heapUsed + now.arrayBuffers - start.arrayBuffers);
  };
  return { sample, growth: () => growth };
}
