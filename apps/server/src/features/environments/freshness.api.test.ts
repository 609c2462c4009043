import { archiveEnvironment, patchEnvironment, reportServer } from '@waymark/contract';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { environmentOf, givenEnvironment, givenHeartbeat } from '../../../test/given/environments.ts';
import { fingerprint } from '../../../test/given/evidence.ts';
import { noLog, startApi } from '../../../test/harness.ts';
import { systemCtx } from '../../platform/ctx.ts';
import { recordStale } from './freshness.service.ts';
import { watchFreshness } from './freshness.tasks.ts';

const api = await startApi();
const now = () => api.clock.now;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** PostgreSQL may just have been started, and the worker has been up for an hour. */
api.clock.now = new Date(Math.ceil(Date.now() / 1000) * 1000 + DAY);
const task = watchFreshness(noLog, now);
beforeEach(() => pass(60 * MINUTE));

function pass(ms: number): void {
  api.clock.now = new Date(api.clock.now.getTime() + ms);
}

const seconds = (at: Date) => at.getTime() / 1000;

/** The entries about stale periods of an environment. */
async function freshnessEntries(name: string) {
  const entries = await api.journal();
  return entries.filter(
    ({ type, payload }) =>
      (type === 'environment.went_stale' || type === 'environment.reporting_again') &&
      (payload as { environment: string }).environment === name,
  );
}
const typesOf = async (name: string) => (await freshnessEntries(name)).map(({ type }) => type);

function report(name: string, digit: string) {
  return api.call(reportServer, {
    params: { env_name: name },
    body: { artifacts: [{ digests: { app: fingerprint(digit) }, creationTimestamp: 1 }] },
  });
}

afterEach(async () => {
  // Leaves nothing of one test for the next to find.
  await sql`delete from environment_heartbeat where org_id = ${api.org.id}`.execute(api.db);
});

it('records once that an environment went stale, and once that it reports again', async () => {
  await givenEnvironment(api, 'quiet');
  await report('quiet', 'a');
  const first = api.clock.now;

  pass(5 * MINUTE);
  await task.run(api.db);
  expect(await freshnessEntries('quiet')).toEqual([]);

  pass(MINUTE);
  await task.run(api.db);
  await task.run(api.db);
  pass(DAY);
  await task.run(api.db);
  const wentStale = {
    type: 'environment.went_stale',
    subject_seq: 3,
    payload: { environment: 'quiet', last_reported_at: seconds(first), allowed_seconds: 300 },
    actor: 'freshness',
  };
  expect(await freshnessEntries('quiet')).toEqual([wentStale]);

  await report('quiet', 'b');
  const second = api.clock.now;
  await task.run(api.db);
  await task.run(api.db);
  const again = {
    type: 'environment.reporting_again',
    // The snapshot of the second report has number 4.
    subject_seq: 5,
    payload: { environment: 'quiet', silent_since: seconds(first) + 300, last_reported_at: seconds(second) },
    actor: 'freshness',
  };
  expect(await freshnessEntries('quiet')).toEqual([wentStale, again]);
  expect((await environmentOf(api, 'quiet')).last_reported_at).toBe(seconds(second));
});

it('records each stale period', async () => {
  await givenEnvironment(api, 'fitful');
  for (let i = 0; i < 3; i++) {
    await givenHeartbeat(api, 'fitful', api.clock.now);
    await task.run(api.db);
    pass(6 * MINUTE);
    await task.run(api.db);
  }
  const stalePeriod = ['environment.went_stale', 'environment.reporting_again'];
  expect(await typesOf('fitful')).toEqual([...stalePeriod, ...stalePeriod, 'environment.went_stale']);
});

it('records a return that was over before the next check', async () => {
  await givenEnvironment(api, 'brief');
  await givenHeartbeat(api, 'brief', api.clock.now);
  pass(6 * MINUTE);
  await task.run(api.db);
  await givenHeartbeat(api, 'brief', api.clock.now);
  pass(60 * MINUTE);
  await task.run(api.db);
  expect(await typesOf('brief')).toEqual([
    'environment.went_stale',
    'environment.reporting_again',
    'environment.went_stale',
  ]);
});

it.each([
  ['no interval at all', [], undefined, 300],
  ['intervals of a minute', Array<number>(10).fill(60), undefined, 300],
  ['intervals of ten minutes', Array<number>(10).fill(600), undefined, 1800],
  ['the median of ten', [1, 1, 1, 1, 600, 800, 9000, 9000, 9000, 9000], undefined, 2100],
  ['the median of three', [90_000, 200, 1], undefined, 600],
  ['a short interval that was set', Array<number>(10).fill(600), 30, 30],
  ['a long interval that was set', Array<number>(10).fill(60), 86_400, 86_400],
] as const)('allows for %s', async (what, intervals, expected, allowed) => {
  const name = what.replaceAll(' ', '-');
  await givenEnvironment(api, name);
  if (expected !== undefined) {
    await api.call(patchEnvironment, {
      params: { env_name: name },
      body: { expected_report_interval_s: expected },
    });
  }
  await givenHeartbeat(api, name, api.clock.now, [...intervals]);
  const { last_reported_at } = await environmentOf(api, name);

  // Reports are noted a few seconds late.
  pass(allowed * 1000 + 14_000);
  await task.run(api.db);
  expect(await freshnessEntries(name)).toEqual([]);
  pass(2_000);
  await task.run(api.db);
  expect((await freshnessEntries(name)).map(({ payload }) => payload)).toEqual([
    { environment: name, last_reported_at, allowed_seconds: allowed },
  ]);
});

it('never records that logical, archived or never reported environments are stale', async () => {
  await givenEnvironment(api, 'unheard');
  await givenEnvironment(api, 'whole', 'logical', { included_environments: ['unheard'] });
  await givenEnvironment(api, 'gone');
  await givenEnvironment(api, 'gone-stale');
  for (const name of ['whole', 'gone', 'gone-stale']) await givenHeartbeat(api, name, api.clock.now);
  await api.call(archiveEnvironment, { params: { env_name: 'gone' } });
  pass(DAY);
  await task.run(api.db);
  expect(await typesOf('gone-stale')).toEqual(['environment.went_stale']);

  const { id } = await environmentOf(api, 'gone-stale');
  await api.call(archiveEnvironment, { params: { env_name: 'gone-stale' } });
  await api.db
    .updateTable('environment_heartbeat')
    .set({ last_reported_at: api.clock.now })
    .where('org_id', '=', api.org.id)
    .where('environment_id', '=', id)
    .execute();
  await task.run(api.db);
  expect(await typesOf('gone-stale')).toEqual(['environment.went_stale']);
  for (const name of ['unheard', 'whole', 'gone']) expect(await freshnessEntries(name)).toEqual([]);
});

it('records it once, however many workers check at the same time', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `shared-${i}`);
  for (const name of names) {
    await givenEnvironment(api, name);
    await givenHeartbeat(api, name, api.clock.now);
  }
  const all = () => Promise.all([1, 2, 3, 4].map(() => task.run(api.db)));
  pass(6 * MINUTE);
  await all();
  for (const name of names) expect(await typesOf(name)).toEqual(['environment.went_stale']);
  for (const name of names) await givenHeartbeat(api, name, api.clock.now);
  await all();
  for (const name of names) {
    expect(await typesOf(name)).toEqual(['environment.went_stale', 'environment.reporting_again']);
  }
});

it('does not call environments stale that could not report while the service was down', async () => {
  for (const [name, expected] of [
    ['soon', 60],
    ['usual', null],
    ['daily', 86_400],
  ] as const) {
    await givenEnvironment(api, name, 'server', { expected_report_interval_s: expected });
    await givenHeartbeat(api, name, api.clock.now);
  }
  pass(2 * DAY);
  const restarted = watchFreshness(noLog, now);
  await restarted.run(api.db);
  pass(MINUTE);
  await restarted.run(api.db);
  for (const name of ['soon', 'usual', 'daily']) expect(await freshnessEntries(name)).toEqual([]);

  pass(MINUTE);
  await restarted.run(api.db);
  expect(await typesOf('soon')).toEqual(['environment.went_stale']);
  expect(await freshnessEntries('usual')).toEqual([]);
  pass(4 * MINUTE);
  await restarted.run(api.db);
  expect(await typesOf('usual')).toEqual(['environment.went_stale']);
  expect(await freshnessEntries('daily')).toEqual([]);
  pass(5 * MINUTE);
  await restarted.run(api.db);
  expect(await typesOf('daily')).toEqual(['environment.went_stale']);
});

it('sees a report that arrives between the check and the lock', async () => {
  await givenEnvironment(api, 'in-time');
  await givenHeartbeat(api, 'in-time', api.clock.now);
  const { id } = await environmentOf(api, 'in-time');
  const ctx = { ...systemCtx(api.db, api.org.id, 'freshness', noLog), now };
  await recordStale(ctx, id, { now: api.clock.now, upSince: new Date(api.clock.now.getTime() - DAY) });
  expect(await freshnessEntries('in-time')).toEqual([]);
});

it('does not delay the others when one fails, and records that one later', async () => {
  for (const name of ['broken', 'whole-some']) {
    await givenEnvironment(api, name);
    await givenHeartbeat(api, name, api.clock.now);
    pass(1);
  }
  await sql`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`.execute(api.owner);
  await sql`
    create trigger refuse before update on environment for each row when (old.name = 'broken')
    execute function refuse()`.execute(api.owner);
  pass(6 * MINUTE);
  await task.run(api.db);
  expect(await freshnessEntries('broken')).toEqual([]);
  expect(await typesOf('whole-some')).toEqual(['environment.went_stale']);

  await sql`drop trigger refuse on environment`.execute(api.owner);
  await task.run(api.db);
  expect(await typesOf('broken')).toEqual(['environment.went_stale']);
});

it('does not count as a modification of the environment', async () => {
  await givenEnvironment(api, 'untouched');
  const { last_modified_at } = await environmentOf(api, 'untouched');
  await givenHeartbeat(api, 'untouched', api.clock.now);
  pass(6 * MINUTE);
  await task.run(api.db);
  expect(await typesOf('untouched')).toEqual(['environment.went_stale']);
  expect((await environmentOf(api, 'untouched')).last_modified_at).toBe(last_modified_at);
});
