import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { archiveEnvironment, getSnapshot, patchTags, reportArtifact, reportServer } from '@waymark/contract';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { environmentOf, givenEnvironment } from '../../../../test/given/environments.ts';
import { artifact, givenFlow } from '../../../../test/given/evidence.ts';
import { givenMetrics } from '../../../../test/given/metrics.ts';
import { attestationPolicy, givenAttached, givenPolicy } from '../../../../test/given/policies.ts';
import { takeAll } from '../../../../test/given/turns.ts';
import { givenReevaluations } from '../../../../test/given/worker.ts';
import { noLog, startApi, type TestOrg } from '../../../../test/harness.ts';
import { commandsOn } from '../../../../test/run-command.ts';
import { systemCtx } from '../../../platform/ctx.ts';
import { lockSubject } from '../../../platform/db/subject-lock.ts';
import { reportArtifact as recordArtifact } from '../../artifacts/artifact.service.ts';
import { readReport } from '../../environment-reports/read-report.ts';
import { recordContent } from '../../environment-reports/record-report.service.ts';
import { listAbandonedReevaluations } from './abandoned-reevaluation.reads.ts';
import { observeReevaluations } from './reevaluation.metrics.ts';
import { createReevaluations } from './reevaluation-queue.ts';

const api = await startApi();
const parts = { db: api.db, log: noLog };
let wakes = 0;
const { turns, takeQueued, settle } = await givenReevaluations(api, () => {
  wakes += 1;
});

beforeAll(async () => {
  await givenFlow(api, 'web', 'version: 1');
  await givenFlow(api, 'other', 'version: 1');
});

const fingerprintOf = (what: string) => hash('sha256', what);

async function report(environment: string, fingerprints: readonly string[], org: TestOrg = api.org): Promise<void> {
  const answer = await api.call(reportServer, {
    params: { org: org.name, env_name: environment },
    key: org.keys.snapshotter,
    body: { artifacts: fingerprints.map((sent, i) => ({ digests: { [`app-${i}`]: sent }, creationTimestamp: 1 })) },
  });
  if (answer.status !== 200) throw new Error(`the report was not taken: ${JSON.stringify(answer.body)}`);
}

async function reportBuilt(fingerprint: string, flow = 'web', more: object = {}): Promise<void> {
  const body = { ...artifact('a'), fingerprint, ...more };
  const answer = await api.call(reportArtifact, { params: { flow_name: flow }, body });
  if (answer.status !== 201) throw new Error(`the artifact was not reported: ${JSON.stringify(answer.body)}`);
}

/** The triggers of an environment's snapshots. */
async function triggers(environment: string, org: TestOrg = api.org): Promise<string[]> {
  const { id } = await environmentOf(api, environment, org);
  const rows = await api.db
    .selectFrom('snapshot')
    .select('trigger')
    .where('org_id', '=', org.id)
    .where('environment_id', '=', id)
    .orderBy('index')
    .execute();
  return rows.map((row) => row.trigger);
}

/** For each current run: its flows, and the cause of the last change. */
async function reports(environment: string) {
  const { id } = await environmentOf(api, environment);
  const { rows } = await sql<{ name: string; cause: string; flows: string[] }>`
    select running.name, verdict.cause, array(
      select flow.name from unnest(verdict.artifact_ids) with ordinality as known (id, place)
      join artifact on artifact.org_id = verdict.org_id and artifact.id = known.id
      join flow on flow.org_id = artifact.org_id and flow.id = artifact.flow_id
      order by place
    ) as flows
    from running join running_verdict as verdict using (org_id, environment_id, no)
    where running.org_id = ${api.org.id} and running.environment_id = ${id}
      and running.until_index is null and verdict.until_index is null
    order by running.no`.execute(api.db);
  return rows;
}

async function countWaiting(): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::integer as waiting from environment_reevaluation where org_id is not null`.execute(api.db);
  return rows[0]?.waiting ?? 0;
}

it('makes a snapshot when provenance arrives after the start', async () => {
  const app = fingerprintOf('late');
  await givenEnvironment(api, 'late');
  await report('late', [app]);
  await settle();
  expect(await triggers('late')).toEqual(['report']);
  expect(await reports('late')).toEqual([{ name: 'app-0', cause: 'started', flows: [] }]);

  await reportBuilt(app);
  const before = wakes;
  await turns.untilDone();
  expect(wakes).toBe(before + 1);
  expect(await takeQueued()).toBe(1);
  expect(await triggers('late')).toEqual(['report', 'provenance']);
  expect(await reports('late')).toEqual([{ name: 'app-0', cause: 'provenance', flows: ['web'] }]);
  const snapshot = await api.call(getSnapshot, { params: { env_name: 'late', snapshot_expression: '-1' } });
  expect(snapshot.body).toMatchObject({
    index: 2,
    artifacts: [{ fingerprint: app, flow_name: 'web', annotation: { type: 'updated-provenance' } }],
  });
  const recorded = (await api.journal()).filter(
    ({ type, payload }) => type === 'snapshot.recorded' && (payload as { environment: string }).environment === 'late',
  );
  expect(recorded.map(({ subject_seq, actor }) => [subject_seq, actor])).toEqual([
    [2, 'snapshotter'],
    [3, 'verdicts'],
  ]);
  expect(recorded[1]?.payload).toMatchObject({
    index: 2,
    trigger: 'provenance',
    provenance_changed: [{ name: 'app-0', fingerprint: app, artifact_ids: [expect.any(String)] }],
  });
});

it('re-evaluates its own snapshot once, finds nothing, and stops', async () => {
  const app = fingerprintOf('own');
  await givenEnvironment(api, 'own');
  await report('own', [app]);
  await settle();
  await reportBuilt(app);
  await settle();
  expect(await triggers('own')).toEqual(['report', 'provenance']);
  const before = wakes;
  await turns.untilDone();
  expect(wakes).toBe(before);
  expect(await countWaiting()).toBe(0);
});

it('makes none for a report without new content, and one for another flow', async () => {
  const app = fingerprintOf('again');
  await givenEnvironment(api, 'again');
  await reportBuilt(app);
  await report('again', [app]);
  await settle();
  await reportBuilt(app);
  await settle();
  expect(await triggers('again')).toEqual(['report']);

  await reportBuilt(app, 'other');
  await settle();
  expect(await triggers('again')).toEqual(['report', 'provenance']);
  expect(await reports('again')).toEqual([{ name: 'app-0', cause: 'provenance', flows: ['other', 'web'] }]);
});

it('makes none where the artifact no longer runs, in archived environments, and in other orgs', async () => {
  const app = fingerprintOf('elsewhere');
  const others = await api.givenOrg('others');
  await givenEnvironment(api, 'ended');
  await report('ended', [app]);
  await report('ended', []);
  await givenEnvironment(api, 'theirs', 'server', {}, others);
  await report('theirs', [app], others);
  await givenEnvironment(api, 'archived');
  await report('archived', [app]);
  const { id } = await environmentOf(api, 'archived');
  await api.call(archiveEnvironment, { params: { env_name: 'archived' } });
  await settle();

  await reportBuilt(app);
  await settle();
  expect(await triggers('ended')).toEqual(['report', 'report']);
  expect(await triggers('theirs', others)).toEqual(['report']);
  const { count } = await api.db
    .selectFrom('snapshot')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('org_id', '=', api.org.id)
    .where('environment_id', '=', id)
    .executeTakeFirstOrThrow();
  expect(count).toBe(1);
  expect(await countWaiting()).toBe(0);
});

it('makes one in each of 50 environments for one report, and none twice with several runners', async () => {
  const app = fingerprintOf('everywhere');
  const names = Array.from({ length: 50 }, (_, i) => `everywhere-${i}`);
  for (const name of names) {
    await givenEnvironment(api, name);
    await report(name, [app]);
  }
  await settle();
  await reportBuilt(app);
  await turns.untilDone();
  expect(await countWaiting()).toBe(50);
  const runner = () => takeAll(takeQueued);
  const [one, two, three] = await Promise.all([runner(), runner(), runner()]);
  expect(one + two + three).toBe(50);
  await settle();
  for (const name of names) expect(await triggers(name)).toEqual(['report', 'provenance']);
}, 600_000);

it('is not held up by one that fails, and retries that one', async () => {
  const app = fingerprintOf('fragile');
  for (const name of ['fragile', 'sturdy']) {
    await givenEnvironment(api, name);
    await report(name, [app]);
  }
  await settle();
  await sql`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`.execute(api.owner);
  await sql`
    create trigger refuse before update on environment for each row when (old.name = 'fragile')
    execute function refuse()`.execute(api.owner);
  await reportBuilt(app);
  await settle();
  expect(await triggers('sturdy')).toEqual(['report', 'provenance']);
  expect(await triggers('fragile')).toEqual(['report']);
  expect(await countWaiting()).toBe(1);

  await sql`drop trigger refuse on environment`.execute(api.owner);
  expect(await takeQueued()).toBe(0);
  // As if the retry delay had passed.
  await sql`update environment_reevaluation set requested_at = now() where org_id = ${api.org.id}`.execute(api.db);
  await settle();
  expect(await triggers('fragile')).toEqual(['report', 'provenance']);
});

it('gives up a re-evaluation that keeps failing, lists it, and replays it on demand', async () => {
  const app = fingerprintOf('hopeless');
  await givenEnvironment(api, 'hopeless');
  await report('hopeless', [app]);
  await settle();
  await sql`
    create function despair() returns trigger language plpgsql as $$ begin raise 'no hope'; end $$`.execute(api.owner);
  await sql`
    create trigger despair before update on environment for each row when (old.name = 'hopeless')
    execute function despair()`.execute(api.owner);
  await reportBuilt(app);
  await turns.untilDone();
  const waits: number[] = [];
  for (let tries = 1; tries <= 8; tries++) {
    await sql`update environment_reevaluation set requested_at = now() where org_id = ${api.org.id}`.execute(api.db);
    expect(await takeQueued()).toBe(0);
    const { rows } = await sql<{ wait: number }>`
      select round(extract(epoch from requested_at - now()))::integer as wait from environment_reevaluation
      where org_id = ${api.org.id}`.execute(api.db);
    waits.push(rows[0]?.wait ?? Number.NaN);
  }
  // Some time has passed since each of them was set.
  expect(waits.slice(0, 3).map((wait) => Math.ceil(wait / 30) * 30)).toEqual([30, 60, 120]);

  const subject = { org_name: 'acme', environment_name: 'hopeless', tries: 8, error: 'no hope' };
  expect(await listAbandonedReevaluations(api.db, 10)).toMatchObject([subject]);
  const { metrics, read } = givenMetrics();
  observeReevaluations(metrics, api.db);
  expect(await read('reevaluation_dead_letters')).toEqual([{ value: 1, labels: {} }]);
  await sql`update environment_reevaluation set requested_at = now() where org_id = ${api.org.id}`.execute(api.db);
  expect(await takeQueued()).toBe(0);
  const server = commandsOn(api.url);
  expect(await server('dead-letters', 'list', '--processor', 're-evaluation')).toMatchObject({
    out: expect.stringMatching(
      / {2}re-evaluation {2}environment 'hopeless' of org 'acme' {2}8 tries {2}no hope\n1 waiting$/,
    ),
  });

  await sql`drop trigger despair on environment`.execute(api.owner);
  expect(await server('dead-letters', 'replay')).toMatchObject({ code: 0, out: '1 replayed' });
  await settle();
  expect(await listAbandonedReevaluations(api.db, 10)).toEqual([]);
  expect(await read('reevaluation_dead_letters')).toEqual([{ value: 0, labels: {} }]);
  expect(await triggers('hopeless')).toEqual(['report', 'provenance']);
});

it('tries a given-up re-evaluation again when there is new evidence', async () => {
  const app = fingerprintOf('revived');
  await givenEnvironment(api, 'revived');
  await report('revived', [app]);
  await settle();
  await reportBuilt(app);
  await turns.untilDone();
  await sql`
    update environment_reevaluation set given_up_at = now(), tries = 8, error = 'no hope' where org_id = ${api.org.id}`.execute(
    api.db,
  );
  expect(await takeQueued()).toBe(0);

  await reportBuilt(app, 'other');
  await settle();

  expect(await triggers('revived')).toEqual(['report', 'provenance']);
});

it.each([
  ['what came from it', 1, [fingerprintOf('of 1 0')]],
  ['all that runs when much of it came from it', 21, ['']],
])('re-evaluates %s when a flow with tags that policies read is tagged', async (_, count, expected) => {
  const name = `tagged-${count}`;
  await givenFlow(api, name, 'version: 1');
  const apps = Array.from({ length: count + 2 }, (_, i) => fingerprintOf(`of ${count} ${i}`));
  for (const app of apps.slice(0, count)) await reportBuilt(app, name);
  await givenPolicy(api, name, attestationPolicy(`{ type: junit, if: '\${{ flow.tags.risk == "high" }}' }`));
  await givenEnvironment(api, name);
  await givenAttached(api, name, [name]);
  await report(name, apps);
  await settle();
  await api.call(patchTags, { params: { type: 'flow', id: name }, body: { set_tags: { risk: 'high' } } });
  await turns.untilDone();
  const { id } = await environmentOf(api, name);
  const waiting = await api.db
    .selectFrom('environment_reevaluation')
    .select(['environment_id', 'fingerprint', 'cause'])
    .where('org_id', '=', api.org.id)
    .execute();
  expect(waiting).toEqual(expected.map((fingerprint) => ({ environment_id: id, fingerprint, cause: 'context' })));
  await settle();
  expect(await triggers(name)).toEqual(['report', 'context']);
});

it('skips an environment that somebody else is changing, and returns to it', async () => {
  const app = fingerprintOf('changing');
  for (const name of ['changing', 'resting']) {
    await givenEnvironment(api, name);
    await report(name, [app]);
  }
  await settle();
  await reportBuilt(app);
  await turns.untilDone();
  const { id } = await environmentOf(api, 'changing');
  const changing = await api.db.startTransaction().execute();
  await lockSubject(changing, api.org.id, 'environment', id);
  expect(await takeQueued()).toBe(1);
  expect(await takeQueued()).toBe(0);
  expect(await triggers('resting')).toEqual(['report', 'provenance']);
  expect(await triggers('changing')).toEqual(['report']);

  await changing.commit().execute();
  expect(await takeQueued()).toBe(1);
  expect(await triggers('changing')).toEqual(['report', 'provenance']);
  await settle();
});

it.each([
  ['when it is woken', 60_000, true],
  ['every now and then', 20, false],
])(
  'works %s, until it is stopped',
  async (when, pollMs, isWoken) => {
    const app = fingerprintOf(when);
    const name = when.replaceAll(' ', '-');
    await givenEnvironment(api, name);
    await report(name, [app]);
    await settle();
    const stopping = new AbortController();
    const queued = createReevaluations(parts, pollMs);
    const running = queued.run(stopping.signal);
    await sleep(100);
    await reportBuilt(app);
    await turns.untilDone();
    if (isWoken) queued.wake();
    await expect.poll(() => triggers(name)).toEqual(['report', 'provenance']);
    stopping.abort();
    await running;
    await settle();
  },
  600_000,
);

it('loses no report that is committed during a re-evaluation', async () => {
  const app = fingerprintOf('overlapping');
  await givenEnvironment(api, 'overlapping');
  await report('overlapping', [app]);
  await settle();
  await reportBuilt(app);
  await turns.untilDone();

  const reporting = await beginReportBuilt(app, 'other');
  const holding = await api.db.startTransaction().execute();
  const { id } = await environmentOf(api, 'overlapping');
  await sql`select from environment where org_id = ${api.org.id} and id = ${id} for update`.execute(holding);
  const reevaluating = takeQueued();
  await expect.poll(() => countHeldUp()).toBe(1);
  await reporting.commit().execute();
  await turns.untilDone();
  await holding.commit().execute();
  expect(await reevaluating).toBe(1);
  expect(await reports('overlapping')).toEqual([{ name: 'app-0', cause: 'provenance', flows: ['web'] }]);

  await settle();
  expect(await reports('overlapping')).toEqual([{ name: 'app-0', cause: 'provenance', flows: ['other', 'web'] }]);
});

it('finds the provenance of what was started and reported by transactions that did not see each other', async () => {
  const app = fingerprintOf('unseen');
  await givenEnvironment(api, 'unseen');
  const { id } = await environmentOf(api, 'unseen');
  const reporting = await beginReportBuilt(app, 'web');
  const starting = await api.db.startTransaction().execute();
  const content = readReport('server', { artifacts: [{ digests: { 'app-0': app }, creationTimestamp: 1 }] }, 1000);
  await recordContent(systemCtx(starting, api.org.id, 'tests', noLog), { id, name: 'unseen' }, content);
  await reporting.commit().execute();
  await turns.untilDone();
  await starting.commit().execute();
  expect(await reports('unseen')).toEqual([{ name: 'app-0', cause: 'started', flows: [] }]);

  await settle();
  expect(await reports('unseen')).toEqual([{ name: 'app-0', cause: 'provenance', flows: ['web'] }]);
});

/** A report of an artifact that is not committed yet. */
async function beginReportBuilt(fingerprint: string, flowName: string) {
  const begun = await api.db.startTransaction().execute();
  const input = { ...artifact('b'), fingerprint };
  const sent = { flowName, input, claim: undefined, claimedAt: undefined };
  await recordArtifact(systemCtx(begun, api.org.id, 'tests', noLog), sent);
  return begun;
}

/** The number of queries in this database that wait for another transaction. */
async function countHeldUp(): Promise<number> {
  const { rows } = await sql<{ held_up: number }>`
    select count(*)::integer as held_up from pg_locks join pg_stat_activity using (pid)
    where locktype = 'transactionid' and not granted and datname = current_database()`.execute(api.db);
  return rows[0]?.held_up ?? 0;
}

it('finds all provenance in the end, when artifacts are started and reported at the same time', async () => {
  const ROUNDS = 100;
  await givenEnvironment(api, 'racing');
  const started: string[] = [];
  let isOver = false;
  const runners = [1, 2].map(async () => {
    while (!isOver) if ((await takeQueued()) === 0) await sleep(5);
  });
  const processing = (async () => {
    while (!isOver) await turns.take();
  })();
  for (let i = 0; i < ROUNDS; i++) {
    const app = fingerprintOf(`racing ${i}`);
    started.push(app);
    const lead = i % 5;
    await Promise.all([
      sleep(lead).then(() => report('racing', started)),
      sleep(4 - lead).then(() => reportBuilt(app, 'web', { trail_name: `racing-${i}` })),
    ]);
  }
  isOver = true;
  await Promise.all([processing, ...runners]);
  await settle();

  const known = await reports('racing');
  expect(known).toHaveLength(ROUNDS);
  expect(known.filter(({ flows }) => flows.length !== 1)).toEqual([]);
  const made = await triggers('racing');
  expect(made.filter((trigger) => trigger === 'report')).toHaveLength(ROUNDS);
  expect(made.length).toBeLessThanOrEqual(2 * ROUNDS);

  // Entries about one environment are in the journal in the order of their numbers.
  const { id } = await environmentOf(api, 'racing');
  const entries = await api.db
    .selectFrom('journal')
    .select('subject_seq')
    .where('org_id', '=', api.org.id)
    .where('subject_id', '=', id)
    .orderBy('seq')
    .execute();
  expect(entries.map((entry) => entry.subject_seq)).toEqual(entries.map((_, i) => i + 1));
}, 600_000);
