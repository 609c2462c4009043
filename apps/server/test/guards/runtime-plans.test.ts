import { hash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFull } from '../../../../tools/test-size.ts';
import { findSinceIn, readRunHistory } from '../../src/features/compliance/explain/history.reads.ts';
import { readMatrix } from '../../src/features/compliance/matrix/matrix.reads.ts';
import { listDeploymentPage, readDeployment } from '../../src/features/deployments/deployment.reads.ts';
import { readFrequency } from '../../src/features/deployments/frequency.reads.ts';
import {
  findRunningCommit,
  listLiveArtifacts,
  listRunEvents,
  readWhereabouts,
} from '../../src/features/deployments/running.reads.ts';
import {
  readEventProvenances,
  readEvents,
  readReplaced,
} from '../../src/features/environment-history/events/event.reads.ts';
import { listPage } from '../../src/features/environment-history/events/event-page.ts';
import { readEventReasons } from '../../src/features/environment-history/events/event-reason.reads.ts';
import {
  listDayEnvironments,
  readComplianceDays,
} from '../../src/features/environment-history/timelines/compliance-day.reads.ts';
import { readTimeline } from '../../src/features/environment-history/timelines/timeline.reads.ts';
import { daysUntil } from '../../src/features/environment-history/timelines/window.ts';
import { recordContent } from '../../src/features/environment-reports/record-report.service.ts';
import { findReporters, keepBeat, updateHeartbeats } from '../../src/features/environment-reports/report.store.ts';
import {
  type EnvironmentFilter,
  type EnvironmentRow,
  findEnvironmentByName,
  listEnvironmentPage,
  listEnvironmentsFrom,
} from '../../src/features/environments/environment.reads.ts';
import { readProvenance } from '../../src/features/provenance/provenance.reads.ts';
import { readChangedBy } from '../../src/features/runtime-verdicts/changed-by.reads.ts';
import { tryLockEnvironments } from '../../src/features/runtime-verdicts/environment-lock.store.ts';
import { judgeArtifactNow } from '../../src/features/runtime-verdicts/judge-now.reads.ts';
import { type Reevaluation, reevaluate } from '../../src/features/runtime-verdicts/reevaluation/reevaluate.service.ts';
import { reevaluationProcessor } from '../../src/features/runtime-verdicts/reevaluation/reevaluation.processor.ts';
import { claimReevaluations } from '../../src/features/runtime-verdicts/reevaluation/reevaluation-claims.ts';
import {
  updateRevision,
  updateToWarned,
  upsertTurns,
} from '../../src/features/runtime-verdicts/turns/verdict-turn.store.ts';
import {
  listArtifactsNamed,
  listEnvironmentsNamed,
  listTrailsNamed,
} from '../../src/features/search/name-search.reads.ts';
import { readRunDecisions } from '../../src/features/snapshots/read/decision-json.reads.ts';
import { findRunInterval, listRunsAtFirst } from '../../src/features/snapshots/read/run-intervals.reads.ts';
import { findSnapshot, readRunsAt } from '../../src/features/snapshots/read/snapshot.reads.ts';
import { readArtifactPage } from '../../src/features/snapshots/read/snapshot-artifacts.reads.ts';
import { readSnapshotContext } from '../../src/features/snapshots/read/snapshot-context.reads.ts';
import { listSnapshotPage } from '../../src/features/snapshots/read/snapshot-list.reads.ts';
import { listRuns, readStamps } from '../../src/features/snapshots/record/current-runs.reads.ts';
import { bucketsOf } from '../../src/platform/buckets.ts';
import { type Ctx, systemCtx } from '../../src/platform/ctx.ts';
import { REQUIRES_TESTS } from '../given/policies.ts';
import { noLog, startApi } from '../harness.ts';
import { costlyIn, rowsRead } from './plans/costly.ts';
import { type Explained, openExplainer } from './plans/explained.ts';
import { loadHistory } from './plans/history.ts';

/** One environment with a long history, in an org with many environments. */
const SNAPSHOTS = isFull ? 500_000 : 10_000;
const SLOTS = isFull ? 2_000 : 200;
const ENVIRONMENTS = 5_000;
/** For a page, or a change, which reads everything that runs; and for each row that is returned. */
const READ_MAX = Math.max(1_000, 3 * SLOTS);
const READ_PER_ROW_MAX = 5;
const FEATURES = [
  'environments',
  'environment-reports',
  'snapshots',
  'runtime-verdicts',
  'environment-history/events',
  'provenance',
  'deployments',
];

const api = await startApi();
const explainer = openExplainer(api.ownerUrl);
const explainedNames = new Set<string>();
let production: EnvironmentRow;

beforeAll(async () => {
  const many = { environments: ENVIRONMENTS, slots: 1, snapshots: 10, replaced: 1 };
  await loadHistory(api, { slots: SLOTS, snapshots: SNAPSHOTS, replaced: 2 }, many);
  await sql`vacuum analyze`.execute(api.owner);
  production = await environment('production');
}, 1_800_000);

afterAll(() => explainer.close());

function environment(name: string): Promise<EnvironmentRow> {
  return findEnvironmentByName(ctxOf(api.db), name);
}

function ctxOf(db: Ctx['db']): Ctx {
  return systemCtx(db, api.org.id, 'tests', noLog);
}

async function explain(work: (ctx: Ctx) => Promise<unknown>): Promise<Explained[]> {
  const explained = await explainer.explain((db) => work(ctxOf(db)));
  expect(explained).not.toEqual([]);
  for (const { statement } of explained) if (statement) explainedNames.add(statement);
  return explained;
}

/** What a page, or a change, may not do. */
function tooCostly({ name, plan }: Explained): string[] {
  const read = rowsRead(plan);
  const isMuch = read > READ_MAX + READ_PER_ROW_MAX * Number(plan['Actual Rows']);
  return [...costlyIn(plan), ...(isMuch ? [`${read} rows read`] : [])].map((found) => `${name}: ${found}`);
}

/** What a snapshot may not do, however many rows it has. */
function tooCostlyForRows({ name, plan }: Explained): string[] {
  const most = READ_PER_ROW_MAX * Number(plan['Actual Rows']);
  const read = rowsRead(plan);
  return [...costlyIn(plan, most), ...(read > most ? [`${read} rows read, ${most} allowed`] : [])].map(
    (found) => `${name}: ${found}`,
  );
}

function fingerprint(artifact: number): string {
  return hash('sha256', `artifact ${artifact}`);
}

function md5Id(text: string): string {
  return hash('md5', text).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The two that alternate in one slot of production, and one that ran once in it and in others. */
const TURNING = fingerprint(1);
const SHARED = fingerprint(500);

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const MIDDLE = SNAPSHOTS / 2;

const snapshotsRead: [string, () => number][] = [
  ['the latest', () => SNAPSHOTS],
  ['the one before it', () => SNAPSHOTS - 1],
  ['a recent', () => SNAPSHOTS - 50],
  ['a middle', () => MIDDLE],
  ['one beside the middle', () => MIDDLE - 1],
  ['one in the first third', () => Math.floor(SNAPSHOTS / 3)],
  ['the second', () => 2],
  ['the first', () => 1],
];

const NEWEST = { page: 1, perPage: 15, oldestFirst: false, repositories: [] };

async function eventPage(ctx: Ctx, name: string, query: object): Promise<void> {
  const { keys } = await listPage(ctx, await findEnvironmentByName(ctx, name), {
    ...NEWEST,
    ...query,
  });
  const events = await readEvents(ctx, keys);
  const replaced = await readReplaced(ctx, events);
  await readEventProvenances(ctx, [...events.flatMap((event) => event.artifact_ids), ...replaced.flat()]);
  expect(events).not.toEqual([]);
}

const everywhere = { environmentIds: undefined, from: undefined, to: undefined, flowId: undefined };
const inProduction = () => ({ ...everywhere, environmentIds: [production.id] });

async function deployments(ctx: Ctx, filter: Parameters<typeof listDeploymentPage>[1], index?: number): Promise<void> {
  const after = index === undefined ? undefined : await placeOf(index);
  const page = await listDeploymentPage(ctx, filter, 20, after);
  expect(page.deployments).toHaveLength(20);
}

async function placeOf(index: number) {
  const { created_at } = await findSnapshot(ctxOf(api.db), production, { kind: 'index', index });
  return { started_at: created_at, environment_id: production.id, index, no: SLOTS + 2 * index };
}

const byName: EnvironmentFilter = { nameContains: undefined, types: [], tags: [], sort: 'name', direction: 'asc' };

const pages: [string, (ctx: Ctx) => Promise<unknown>][] = [
  [
    'reporters by name',
    (ctx) => {
      const names = Array.from({ length: 64 }, (_, i) => `environment-${1 + i * 70}`);
      return findReporters(ctx.db, { org_ids: names.map(() => ctx.org), names });
    },
  ],
  ['a snapshot by its index', (ctx) => findSnapshot(ctx, production, { kind: 'index', index: MIDDLE })],
  ['a snapshot by its time', (ctx) => findSnapshot(ctx, production, { kind: 'moment', at: minutesAgo(MIDDLE) })],
  ['the newest snapshots', (ctx) => snapshotPage(ctx, 1)],
  ['snapshots on a middle page', (ctx) => snapshotPage(ctx, MIDDLE / 20)],
  ['snapshots on the last page', (ctx) => snapshotPage(ctx, SNAPSHOTS / 20)],
  ['the newest events', (ctx) => eventPage(ctx, 'production', {})],
  ['events on a middle page', (ctx) => eventPage(ctx, 'production', { page: Math.floor((2 * SNAPSHOTS) / 15) })],
  ['events since a time', (ctx) => eventPage(ctx, 'production', { start_ts: secondsAgo(60 * MIDDLE) })],
  ['events of some snapshots', (ctx) => eventPage(ctx, 'production', { interval: `${MIDDLE}..${MIDDLE + 100}` })],
  ['events of a few environments', (ctx) => eventPage(ctx, 'whole', {})],
  ['deployments everywhere', (ctx) => deployments(ctx, everywhere)],
  ['deployments everywhere, after one in the middle', (ctx) => deployments(ctx, everywhere, MIDDLE)],
  ['deployments everywhere in a window', (ctx) => deployments(ctx, { ...everywhere, to: minutesAgo(MIDDLE) })],
  ['deployments', (ctx) => deployments(ctx, inProduction())],
  ['deployments after one in the middle', (ctx) => deployments(ctx, inProduction(), MIDDLE)],
  ['the first deployments', (ctx) => deployments(ctx, inProduction(), 12)],
  ['deployments in a window', (ctx) => deployments(ctx, { ...inProduction(), to: minutesAgo(MIDDLE) })],
  ['a deployment', (ctx) => readDeployment(ctx, 'production', SHARED, undefined)],
  ['a deployment by the first digits', (ctx) => readDeployment(ctx, 'production', SHARED.slice(0, 12), undefined)],
  ['a deployment of what starts often', (ctx) => readDeployment(ctx, 'production', TURNING, undefined)],
  [
    'where an artifact runs',
    async (ctx) => {
      const places = await readWhereabouts(ctx, [TURNING, fingerprint(SLOTS + MIDDLE)]);
      await listRunEvents(ctx, places.get(TURNING) ?? []);
    },
  ],
  [
    'what is said of artifacts now',
    async (ctx) => {
      for (const fingerprint of [TURNING, SHARED])
        await judgeArtifactNow(ctx, { ...production, tags: {} }, fingerprint);
    },
  ],
  [
    'who changed what was reported',
    async (ctx) => {
      const reports = (await readProvenance(ctx.db, ctx.org, [TURNING])).get(TURNING)?.reports ?? [];
      expect((await readChangedBy(ctx, reports)).size).toBeGreaterThan(0);
    },
  ],
  [
    'since when that is said of what runs',
    async (ctx) => {
      const runs = await listRuns(ctx.db, { org_id: ctx.org, environment_id: production.id });
      const nos = runs.slice(0, 100).map((run) => run.no);
      expect((await readRunHistory(ctx, production.id, SNAPSHOTS, nos)).size).toBe(100);
    },
  ],
  [
    'which environments a report concerns',
    (ctx) => reevaluationProcessor(() => undefined).apply(ctx.db, reported(ctx)),
  ],
  ['trails by how their names begin', (ctx) => listTrailsNamed(ctx, namesAsked('trail'))],
  ['artifacts by how their names begin', (ctx) => listArtifactsNamed(ctx, namesAsked('service'))],
  ['artifacts by their versions', (ctx) => listArtifactsNamed(ctx, namesAsked('1.10'))],
  ['environments that nobody changes', (ctx) => tryLockEnvironments(ctx.db, ctx.org, [production.id])],
  [
    'environments that nobody re-evaluates',
    (ctx) => claimReevaluations(ctx.db, { org_id: ctx.org, ids: [production.id] }),
  ],
  ['whether environments have changed', (ctx) => readStamps(ctx.db, { org_id: ctx.org, ids: [production.id] })],
];

function namesAsked(whole: string) {
  return { whole, words: [whole], limit: 6 };
}

function artifactPage(ctx: Ctx, flow: string | undefined) {
  const asked = { org: api.org.name, publicUrl: '', environment: 'production', expression: String(MIDDLE) };
  const shown = { nameContains: undefined, compliances: [], flow, page: 2, perPage: 50 };
  return readArtifactPage(ctx, { ...asked, ...shown, sort: 'compliance', direction: 'asc' });
}

function timeline(ctx: Ctx, from: number, to: number) {
  const window = { from: minutesAgo(from).getTime(), until: minutesAgo(to).getTime() };
  return readTimeline(ctx, production, window, { nameContains: undefined, page: 1, perPage: 50, maxRuns: 2_000 });
}

function secondsAgo(seconds: number): number {
  return Math.floor(Date.now() / 1000) - seconds;
}

function snapshotPage(ctx: Ctx, page: number) {
  return listSnapshotPage(ctx, production, { interval: '', isOldestFirst: false, page, perPage: 20 });
}

function reported(ctx: Ctx) {
  return Array.from({ length: 64 }, (_, i) => ({
    ...{ org_id: ctx.org, seq: i, id: randomUUID(), recorded_at: new Date(), type: 'artifact.reported' },
    ...{ subject_kind: 'artifact', subject_id: md5Id(`artifact ${SLOTS + 100 * i}`), actor_name: 'x' },
  })) as never[];
}

/** They count, or show, all of something, which they may read once. */
const wholes: [string, number, (ctx: Ctx) => Promise<unknown>][] = [
  // Of each environment as many as there are up to the end of the page.
  ['events of many environments', 201 * 2 * 15 * 20, (ctx) => eventPage(ctx, 'large-whole', { page: 20 })],
  [
    'a page of environments with a tag',
    ENVIRONMENTS + 100,
    (ctx) => listEnvironmentPage(ctx, { ...byName, tags: ['team:team-7'] }, 1, 20),
  ],
  ['a page of environments, counted', ENVIRONMENTS + 3, (ctx) => listEnvironmentPage(ctx, byName, 50, 20)],
  [
    'the environments that changed last',
    2 * (ENVIRONMENTS + 3),
    (ctx) => listEnvironmentPage(ctx, { ...byName, sort: 'last_changed_at', direction: 'desc' }, 1, 20),
  ],
  [
    'the environments modified last',
    ENVIRONMENTS + 3 * 211,
    (ctx) => listEnvironmentPage(ctx, { ...byName, sort: 'last_modified_at', direction: 'desc' }, 1, 20),
  ],
  [
    'the environments that are not compliant and silent',
    3 * (ENVIRONMENTS + 3 * 211),
    (ctx) => listEnvironmentPage(ctx, { ...byName, compliances: ['non-compliant'], stale: true }, 1, 20),
  ],
  ['environments by a part of their names', ENVIRONMENTS + 100, (ctx) => listEnvironmentsNamed(ctx, namesAsked('7'))],
  ['a page of what ran in a snapshot', 5 * SLOTS, (ctx) => artifactPage(ctx, undefined)],
  ['a page of what ran of a flow', 5 * SLOTS, (ctx) => artifactPage(ctx, 'flow-7')],
  [
    'which version runs where',
    3 * (SLOTS + 20),
    (ctx) => {
      const environments = ['production', ...Array.from({ length: 19 }, (_, i) => `environment-${i + 1}`)];
      return readMatrix(ctx, { nameContains: undefined, environments, onlyDrift: false, page: 1, perPage: 50 });
    },
  ],
  ['all environments', 2 * (ENVIRONMENTS + 3), (ctx) => listEnvironmentsFrom(ctx, byName, undefined)],
  ['since when an environment is what it is', 10, (ctx) => findSinceIn(ctx, production.id, SNAPSHOTS, 'unknown')],
  ['the first events', 4 * SLOTS, (ctx) => eventPage(ctx, 'production', { oldestFirst: true })],
  [
    'how often was deployed',
    5 * 2 * 1_440,
    (ctx) => readFrequency(ctx, [production.id], bucketsOf(minutesAgo(1_440), new Date(), 'day')),
  ],
  ['a timeline of the last hours', 4 * (SLOTS + 2 * 200), (ctx) => timeline(ctx, 200, 0)],
  ['a timeline in the middle', 4 * (SLOTS + 2 * 200), (ctx) => timeline(ctx, MIDDLE + 200, MIDDLE)],
  [
    'what ran at the start of a period',
    4 * (SLOTS + 2 * 200),
    async (ctx) => {
      const period = { from: minutesAgo(MIDDLE + 200), to: minutesAgo(MIDDLE) };
      const interval = await findRunInterval(ctx.db, ctx.org, production.id, period);
      if (!interval) throw new Error('there is no snapshot in the period');
      await listRunsAtFirst(ctx.db, interval);
    },
  ],
  // As many ended runs as are read, and a snapshot for each end of a run that is shown.
  ['a timeline of everything', 20_001 + 4 * SLOTS + 2_000, (ctx) => timeline(ctx, Math.min(SNAPSHOTS, 570_000), 0)],
  [
    'the days of a page of environments',
    ENVIRONMENTS + 3,
    async (ctx) => {
      const { environments } = await listDayEnvironments(ctx, 1, 49);
      await readComplianceDays(ctx, [...environments, production], daysUntil(undefined, 30, new Date()));
    },
  ],
  // Of everything that the repository reported, where it runs.
  [
    'what a repository has running',
    Math.max(1_000, SNAPSHOTS / 50),
    (ctx) => listLiveArtifacts(ctx, md5Id('repository 3')),
  ],
  ['the commit that a flow has running', 8 * SLOTS, (ctx) => findRunningCommit(ctx, [production.id], md5Id('flow 7'))],
  [
    'events of what came from a repository',
    SNAPSHOTS / 10,
    (ctx) => eventPage(ctx, 'production', { repositories: ['acme/repository-3'] }),
  ],
  ['deployments of a flow', 20_000 * 4, (ctx) => deployments(ctx, { ...inProduction(), flowId: md5Id('flow 7') })],
];

async function reportOf(ctx: Ctx, change: { fingerprint?: string; count?: number; detail?: string }) {
  const runs = await listRuns(ctx.db, { org_id: ctx.org, environment_id: production.id });
  const [changed, ...others] = runs.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (!changed) throw new Error('nothing runs');
  return { artifacts: [{ ...changed, ...change }, ...others], digest: hash('sha256', 'another', 'buffer') };
}

/** Most of what they read is everything that runs now. */
const changes: [string, (ctx: Ctx) => Promise<unknown>][] = [
  [
    'instants at which verdicts turn',
    (ctx) =>
      upsertTurns(ctx.db, {
        org_id: ctx.org,
        environments: [production.id],
        fingerprints: [fingerprint(1)],
        turns: [minutesAgo(-60)],
        warnings: [minutesAgo(-30)],
      }),
  ],
  [
    'a warning of evidence that expires',
    async (ctx) => {
      await updateToWarned(ctx.db, {
        org_id: ctx.org,
        environment_id: production.id,
        fingerprints: [fingerprint(1)],
        turns: [minutesAgo(-60)],
      });
      await updateRevision(ctx.db, { org_id: ctx.org, id: production.id });
    },
  ],
  [
    'a report of another version',
    async (ctx) => {
      const report = await reportOf(ctx, { fingerprint: fingerprint(SLOTS + 100) });
      expect(await recordContent(ctx, production, report)).toMatchObject({ kind: 'created', started: 1, exited: 1 });
    },
  ],
  [
    'a report of another number of instances',
    async (ctx) => {
      const report = await reportOf(ctx, { count: 2, detail: '{"timestamps":[1,2]}' });
      expect(await recordContent(ctx, production, report)).toMatchObject({ kind: 'scaled' });
    },
  ],
  [
    'a report of the artifact of what runs',
    async (ctx) => {
      const [run] = await listRuns(ctx.db, { org_id: ctx.org, environment_id: production.id });
      await sql`
        insert into artifact select (artifact).* from (
          select jsonb_populate_record(artifact, jsonb_build_object('id', gen_random_uuid(), 'commit_sha', 'another',
            'receipt', nextval('receipt'))) as artifact
          from artifact where org_id = ${ctx.org} and fingerprint = ${run?.fingerprint}
        ) as again`.execute(ctx.db);
      expect(await reevaluateProduction(ctx, { causes: ['provenance'] })).toBe(SNAPSHOTS + 1);
    },
  ],
  [
    'a policy attached, evidence after it, and a report after that',
    async (ctx) => {
      await attachPolicy(ctx);
      expect(await reevaluateProduction(ctx, { causes: ['policy'] })).toBe(SNAPSHOTS + 1);
      const fingerprint = await testFirst(ctx);
      expect(await reevaluateProduction(ctx, { causes: ['evidence'], fingerprints: [fingerprint] })).toBe(
        SNAPSHOTS + 2,
      );
      const runs = await readRunsAt(ctx, { ...production, snapshot_count: SNAPSHOTS + 2 }, SNAPSHOTS + 2);
      const waived = runs.map((run) => ({ ...run, waiverId: randomUUID() }));
      expect((await readRunDecisions(ctx, waived, false)).decisions.size).toBe(SLOTS);
      const page = await listPage(ctx, { ...production, snapshot_count: SNAPSHOTS + 2 }, NEWEST);
      await readEventReasons(ctx, await readEvents(ctx, page.keys));
      const report = await reportOf(ctx, { fingerprint: md5Id('nobody').replaceAll('-', '').repeat(2) });
      expect(await recordContent(ctx, production, report)).toMatchObject({ kind: 'created', started: 1, exited: 1 });
    },
  ],
  [
    'the first report noted',
    (ctx) => keepBeat(ctx.db, { ...beat(1), org_id: ctx.org, environment_id: md5Id('environment 1') }),
  ],
  [
    'reports noted',
    (ctx) => {
      const beats = Array.from({ length: 50 }, (_, i) => ({
        ...beat(i),
        org: ctx.org,
        environment: md5Id(`environment ${i}`),
      }));
      return updateHeartbeats(ctx.db, beats);
    },
  ],
];

async function attachPolicy(ctx: Ctx): Promise<void> {
  const text = REQUIRES_TESTS;
  await sql`
    with made as (
      insert into policy (org_id, id, name, description, version, revision, created_at, created_by, last_modified_at)
      values (${ctx.org}, ${md5Id('policy')}, 'tests', '', 1, 1, now(), 'x', now()) returning id
    ), written as (
      insert into policy_version (org_id, policy_id, version, policy_yaml, comment, controls, reads, created_at, created_by)
      select ${ctx.org}, id, 1, ${text}, '', '{}', '{}', now(), 'x' from made
    )
    insert into environment_policy (org_id, environment_id, policy_id, attached_at, attached_by)
    select ${ctx.org}, ${production.id}, id, now(), 'x' from made`.execute(ctx.db);
}

async function reevaluateProduction(
  ctx: Ctx,
  wanted: Omit<Reevaluation, 'environmentId'>,
): Promise<number | undefined> {
  return (await reevaluate(ctx, [{ environmentId: production.id, ...wanted }])).get(production.id);
}

async function testFirst(ctx: Ctx): Promise<string> {
  const [run] = await listRuns(ctx.db, { org_id: ctx.org, environment_id: production.id });
  const fingerprint = run?.fingerprint ?? '';
  await sql`
    insert into attestation (org_id, id, flow_id, trail_id, name, type, counts_as, is_compliant, fingerprint, trust,
      content, verdict, created_at, created_by)
    select org_id, gen_random_uuid(), flow_id, trail_id, 'unit-tests', 'generic', 'generic', true, fingerprint,
      'api_key', '{}', '{}', now(), 'x'
    from artifact where org_id = ${ctx.org} and fingerprint = ${fingerprint}`.execute(ctx.db);
  return fingerprint;
}

function beat(number: number) {
  const bytes = hash('sha256', `report ${number}`, 'buffer');
  return { at: new Date(), bytes, by: 'x', content: bytes };
}

/** Names of statements that the features declare. */
function declaredNames(): string[] {
  const root = new URL('../../src/features/', import.meta.url);
  return FEATURES.flatMap((feature) => {
    const all = readdirSync(new URL(feature, root), { recursive: true, encoding: 'utf8' });
    const files = all.filter((file) => /\.(store|reads)\.ts$/.test(file));
    const texts = files.map((file) => readFileSync(new URL(`${feature}/${file}`, root), 'utf8'));
    return texts.flatMap((text) =>
      Array.from(text.matchAll(/= (?:statement|unprepared)<[^(]*?\(\s*'(\w+)'/g), ([, name = '']) => name),
    );
  });
}

describe(`with ${SNAPSHOTS.toLocaleString('en')} snapshots`, () => {
  it.each(snapshotsRead)('of a snapshot, %s, little more is read than it has', async (_, index) => {
    const explained = await explain((ctx) => readRunsAt(ctx, production, index()));
    expect(explained.flatMap(tooCostlyForRows)).toEqual([]);
  });

  it.each(snapshotsRead)('what surrounds a snapshot, %s, is found through an index', async (_, index) => {
    const explained = await explain(async (ctx) =>
      readSnapshotContext(ctx, production.id, await readRunsAt(ctx, production, index()), false),
    );
    expect(explained.filter(({ statement }) => !statement?.endsWith('_at')).flatMap(tooCostly)).toEqual([]);
  });

  it.each(pages)('%s: found through an index', async (_, work) => {
    expect((await explain(work)).flatMap(tooCostly)).toEqual([]);
  });

  it.each(wholes)('%s: at most %i rows are read', async (_, most, work) => {
    const explained = await explain(work);
    expect(
      explained.flatMap(({ name, plan }) => (rowsRead(plan) > most ? [`${name}: ${rowsRead(plan)}`] : [])),
    ).toEqual([]);
  });

  it.each(changes)('%s: written through an index', async (_, work) => {
    expect((await explain(work)).flatMap(tooCostly)).toEqual([]);
  });

  it('every declared statement was explained', () => {
    expect(declaredNames().filter((name) => !explainedNames.has(name))).toEqual([]);
    expect(declaredNames().length).toBeGreaterThan(20);
  });

  it('a read without an index is noticed', async () => {
    const explained = await explain(({ db, org }) =>
      sql`select no from running where org_id = ${org} and environment_id = ${production.id} and name = 'none'`.execute(
        db,
      ),
    );
    expect(explained.flatMap(tooCostly)).not.toEqual([]);
  });
});
