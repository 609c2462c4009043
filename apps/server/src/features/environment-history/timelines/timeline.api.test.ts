import {
  attachPolicies,
  detachPolicies,
  getTimeline,
  patchTags,
  putPolicy,
  renameEnvironment,
  type Timeline,
} from '@waymark/contract';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  DAY_ONE,
  DB,
  givenDayAndAHalf,
  givenFailing,
  startStory,
  WEB_1,
  WEB_2,
} from '../../../../test/given/day-and-a-half.ts';
import { environmentOf, givenEnvironment } from '../../../../test/given/environments.ts';
import { commit, fingerprint } from '../../../../test/given/evidence.ts';
import { givenAttached, givenPolicy, REQUIRES_PROVENANCE, REQUIRES_TESTS } from '../../../../test/given/policies.ts';
import { givenRunning } from '../../../../test/given/runs.ts';
import { type Answer, startApi } from '../../../../test/harness.ts';

const api = await startApi();
const story = startStory(api);

const hour = (hours: number) => DAY_ONE / 1000 + hours * 3_600;
const within = (from: number, to: number) => ({ from: String(hour(from)), to: String(hour(to)) });

function ask(name: string, query: Record<string, string> = {}) {
  return api.call(getTimeline, { params: { env_name: name }, key: api.org.keys.reader, query });
}

async function timelineOf(name: string, query: Record<string, string> = {}): Promise<Timeline> {
  const answer = (await ask(name, query)) as Answer<Timeline>;
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

type Interval = { from: number; until: number; compliance: string };
const interval = (compliance: string, from: number, until: number): Interval => ({
  from: hour(from),
  until: hour(until),
  compliance,
});

beforeAll(() => givenDayAndAHalf(api, story, 'prod'));

const web1 = {
  fingerprint: fingerprint('a'),
  name: WEB_1,
  flow_name: 'shop',
  trail_name: 'first',
  git_commit: commit('a'),
  instances: 1,
  from: hour(12),
  until: hour(28),
};
const db = {
  fingerprint: fingerprint('b'),
  name: DB,
  flow_name: '',
  trail_name: '',
  git_commit: '',
  instances: 1,
  from: hour(16),
  until: hour(32),
};
const web2 = {
  fingerprint: fingerprint('c'),
  name: WEB_2,
  flow_name: 'shop',
  trail_name: 'second',
  git_commit: commit('c'),
  instances: 1,
  from: hour(28),
  until: null,
};

describe('the timeline of an environment', () => {
  it('has everything that happened in the window', async () => {
    story.at(36);
    const timeline = await timelineOf('prod', within(0, 36));
    expect(timeline).toEqual({
      environment: 'prod',
      from: hour(0),
      to: hour(36),
      page: 1,
      per_page: 50,
      total_lanes: 2,
      lanes: [
        {
          name: 'backend',
          flow_name: 'shop',
          runs: [
            { ...web1, states: [interval('compliant', 12, 28)] },
            { ...web2, states: [interval('compliant', 28, 36)] },
          ],
        },
        {
          name: 'registry.example.com:5000/shop/db',
          flow_name: '',
          runs: [
            {
              ...db,
              states: [
                interval('non-compliant', 16, 20),
                interval('waived', 20, 30),
                interval('non-compliant', 30, 32),
              ],
            },
          ],
        },
      ],
      truncated: false,
      runs_from: null,
      snapshot_count: 6,
      snapshots: [
        { index: 1, at: hour(12), compliance: 'compliant' },
        { index: 2, at: hour(16), compliance: 'non-compliant' },
        { index: 3, at: hour(20), compliance: 'compliant' },
        { index: 4, at: hour(28), compliance: 'compliant' },
        { index: 5, at: hour(30), compliance: 'non-compliant' },
        { index: 6, at: hour(32), compliance: 'compliant' },
      ],
      density: Array.from({ length: 60 }, (_, i) => ([20, 26, 33, 46, 50, 53].includes(i) ? 1 : 0)),
      gaps: [{ from: hour(22), until: hour(28) }],
      marks: [
        { at: hour(10), kind: 'environment', text: 'acme-admin created the environment' },
        { at: hour(10), kind: 'policy', text: "Policy 'traced' (version 1) was attached by member" },
        {
          at: hour(20),
          kind: 'allow_list',
          text: `acme-admin granted a waiver for artifact '${DB}': an old database`,
        },
        {
          at: hour(30),
          kind: 'allow_list',
          text: `acme-admin withdrew the waiver for artifact '${DB}'`,
        },
      ],
      compliance: [
        interval('compliant', 12, 16),
        interval('non-compliant', 16, 20),
        interval('compliant', 20, 22),
        interval('unknown', 22, 28),
        interval('compliant', 28, 30),
        interval('non-compliant', 30, 32),
        interval('compliant', 32, 36),
      ],
    });
  });

  it('covers the last seven days by default', async () => {
    story.at(36);
    const { from, to, snapshot_count, ...all } = await timelineOf('prod');
    expect([from, to, snapshot_count]).toEqual([hour(36 - 7 * 24), hour(36), 6]);
    expect(all.density.reduce((sum, count) => sum + count, 0)).toBe(6);
    expect(all.compliance[0]).toEqual(interval('compliant', 12, 16));
  });

  it('shows what ran before the window and exited after it, and clips the verdicts', async () => {
    story.at(36);
    const timeline = await timelineOf('prod', within(17, 29));
    expect(timeline.lanes.flatMap(({ runs }) => runs)).toEqual([
      { ...web1, states: [interval('compliant', 17, 28)] },
      { ...web2, states: [interval('compliant', 28, 29)] },
      { ...db, states: [interval('non-compliant', 17, 20), interval('waived', 20, 29)] },
    ]);
    expect(timeline.snapshots.map(({ index }) => index)).toEqual([3, 4]);
    expect(timeline.compliance).toEqual([
      interval('non-compliant', 17, 20),
      interval('compliant', 20, 22),
      interval('unknown', 22, 28),
      interval('compliant', 28, 29),
    ]);
  });

  it('includes events at either end, but not what exited when it began', async () => {
    story.at(36);
    const timeline = await timelineOf('prod', within(28, 32));
    expect(timeline.snapshots.map(({ index }) => index)).toEqual([4, 5, 6]);
    expect(timeline.density.filter((count) => count > 0)).toEqual([1, 1, 1]);
    expect(timeline.lanes.flatMap(({ runs }) => runs.map(({ name }) => name))).toEqual([WEB_2, DB]);
    expect(timeline.gaps).toEqual([]);
    expect(timeline.marks.map(({ at }) => at)).toEqual([hour(30)]);
  });

  it('clips a stale period at the ends of the window', async () => {
    story.at(36);
    expect((await timelineOf('prod', within(23, 24))).gaps).toEqual([{ from: hour(23), until: hour(24) }]);
    expect((await timelineOf('prod', within(0, 24))).gaps).toEqual([{ from: hour(22), until: hour(24) }]);
    expect((await timelineOf('prod', within(25, 36))).gaps).toEqual([{ from: hour(25), until: hour(28) }]);
  });

  it('has an open stale period, whether it was recorded or not', async () => {
    story.at(40);
    const timeline = await timelineOf('prod', within(30, 40));
    expect(timeline.gaps).toEqual([{ from: hour(38), until: null }]);
    expect(timeline.compliance.at(-1)).toEqual(interval('unknown', 38, 40));
    await story.checkFreshness();
    story.at(41);
    expect((await timelineOf('prod', within(30, 39))).gaps).toEqual([{ from: hour(38), until: null }]);
    expect((await timelineOf('prod', within(30, 38))).gaps).toEqual([]);
  });

  it('has nothing after now', async () => {
    story.at(36);
    const timeline = await timelineOf('prod', within(30, 1_000));
    expect(timeline.to).toBe(hour(36));
    expect(timeline.compliance.at(-1)).toEqual(interval('compliant', 32, 36));
  });

  it('pages lanes and filters them by name', async () => {
    story.at(36);
    const lanes = async (query: Record<string, string>) => {
      const timeline = await timelineOf('prod', { ...within(0, 36), ...query });
      return [timeline.total_lanes, ...timeline.lanes.map(({ name }) => name)];
    };
    const second = 'registry.example.com:5000/shop/db';
    expect(await lanes({ per_page: '1' })).toEqual([2, 'backend']);
    expect(await lanes({ per_page: '1', page: '2' })).toEqual([2, second]);
    expect(await lanes({ per_page: '1', page: '3' })).toEqual([2]);
    expect(await lanes({ name: 'SHOP/d' })).toEqual([1, second]);
    expect(await lanes({ name: '%' })).toEqual([0]);
  });

  it('is empty before anything was reported', async () => {
    story.at(36);
    await givenEnvironment(api, 'unheard');
    const empty = { lanes: [], total_lanes: 0, snapshots: [], snapshot_count: 0, gaps: [], compliance: [] };
    expect(await timelineOf('unheard')).toMatchObject({ ...empty, truncated: false });
    expect(await timelineOf('prod', within(0, 11))).toMatchObject({ ...empty, truncated: false });
  });

  it('stays when the environment is renamed, and marks the change', async () => {
    story.at(36);
    await givenEnvironment(api, 'old-name');
    story.at(37);
    await givenRunning(api, 'old-name', { app: 'a' });
    story.at(38);
    await api.call(renameEnvironment, { params: { env_name: 'old-name' }, body: { new_name: 'new-name' } });
    await api.call(patchTags, { params: { type: 'env', id: 'new-name' }, body: { set_tags: { tier: '1' } } });
    story.at(39);
    const timeline = await timelineOf('old-name', within(37, 39));
    expect(timeline).toMatchObject({ environment: 'new-name', snapshot_count: 1 });
    expect(timeline.marks.map(({ text }) => text)).toEqual([
      "acme-admin renamed the environment from 'old-name' to 'new-name'",
      'acme-admin changed tags of the environment: tier',
    ]);
  });

  it('has a lane for an artifact without provenance: the name without tag and digest', async () => {
    story.at(36);
    await givenEnvironment(api, 'named');
    const names = {
      'localhost:5000/app': '1',
      'localhost:5000/app:2': '2',
      'app@sha256:22': '3',
      'C:\\app.exe': '4',
      ':9': '5',
    };
    await givenRunning(api, 'named', names);
    story.at(37);
    const timeline = await timelineOf('named');
    expect(timeline.lanes.map(({ name, runs }) => [name, runs.length])).toEqual([
      [':9', 1],
      ['app', 1],
      ['C:\\app.exe', 1],
      ['localhost:5000/app', 2],
    ]);
    expect(timeline.compliance).toEqual([interval('unknown', 36, 37)]);
  });
});

describe('marks of policies', () => {
  const version = (name: string, policy_yaml: string) =>
    api.call(putPolicy, { params: { name }, body: { policy_yaml } });

  it('include versions only while the policy is attached', async () => {
    story.at(50);
    await givenEnvironment(api, 'ruled');
    await givenPolicy(api, 'rule');
    await givenPolicy(api, 'other');
    await version('rule', REQUIRES_TESTS);
    story.at(51);
    await givenAttached(api, 'ruled', ['rule', 'other']);
    story.at(52);
    await version('rule', REQUIRES_PROVENANCE);
    story.at(53);
    const selection = { params: { env_name: 'ruled' }, body: { policy_names: ['rule'] } };
    await api.call(detachPolicies, selection);
    story.at(54);
    await version('rule', REQUIRES_TESTS);
    story.at(55);
    await api.call(attachPolicies, selection);
    story.at(56);
    await version('rule', REQUIRES_PROVENANCE);
    story.at(57);
    const texts = async (from: number, to: number) => {
      const { marks } = await timelineOf('ruled', within(from, to));
      return marks.filter(({ kind }) => kind === 'policy').map(({ at, text }) => [(at - hour(0)) / 3_600, text]);
    };
    const all = [
      [51, "Policies 'other' (version 1) and 'rule' (version 2) were attached by member"],
      [52, "Version 3 of policy 'rule', created by acme-admin, replaced the previous version"],
      [53, "Policy 'rule' (version 3) was detached by acme-admin"],
      [55, "Policy 'rule' (version 4) was attached by acme-admin"],
      [56, "Version 5 of policy 'rule', created by acme-admin, replaced the previous version"],
    ];
    expect(await texts(50, 57)).toEqual(all);
    expect(await texts(51.5, 52.5)).toEqual([all[1]]);
    expect(await texts(53.5, 54.5)).toEqual([]);
  });
});

describe('more than is returned', () => {
  it('is left out, and the response says so', async () => {
    story.at(36);
    await givenEnvironment(api, 'busy');
    const { id } = await environmentOf(api, 'busy');
    // One snapshot a second, each with another verdict and with everything replaced.
    const at = sql`${new Date(DAY_ONE)}::timestamptz + i * interval '1 second'`;
    await sql`
      insert into snapshot (org_id, environment_id, index, created_at, created_by, trigger, compliance, artifact_count,
        compliant_count, non_compliant_count, started_count, event_total)
      select ${api.org.id}, ${id}, i, ${at}, 'x', 'report', case i % 2 when 0 then 'compliant' else 'non-compliant' end,
        1, 0, 0, 1, i
      from generate_series(1, 2500) as i`.execute(api.db);
    const run = sql`i, case when i < 2500 then i + 1 end`;
    await sql`
      insert into running (org_id, environment_id, no, fingerprint, name, from_index, until_index, lineage, started_with,
        deployments)
      select ${api.org.id}, ${id}, i, '', 'app', ${run}, 'name app', 1, '{}' from generate_series(1, 2500) as i`.execute(
      api.db,
    );
    await sql`
      insert into running_verdict (org_id, environment_id, no, from_index, until_index, cause, compliance, artifact_ids)
      select ${api.org.id}, ${id}, i, ${run}, 'started', 'unknown', '{}' from generate_series(1, 2500) as i`.execute(
      api.db,
    );
    await sql`update environment set snapshot_count = 2500 where org_id = ${api.org.id} and id = ${id}`.execute(api.db);

    const all = await timelineOf('busy', within(0, 1));
    expect(all).toMatchObject({ truncated: true, snapshot_count: 2_500, total_lanes: 1 });
    expect(all.snapshots).toHaveLength(1_000);
    expect([all.snapshots[0]?.index, all.snapshots.at(-1)?.index]).toEqual([1, 2_500]);
    expect(all.lanes[0]?.runs).toHaveLength(2_000);
    expect(all.lanes[0]?.runs[0]?.from).toBe(hour(0) + 501);
    expect(all.lanes[0]?.runs.at(-1)?.until).toBeNull();
    expect(all.runs_from).toBe(hour(0) + 501);
    expect(all.compliance).toHaveLength(2_000);
    expect(all.compliance[0]?.from).toBe(hour(0) + 501);

    const some = await timelineOf('busy', { from: String(hour(0) + 100), to: String(hour(0) + 110.5) });
    expect(some).toMatchObject({ truncated: false, runs_from: null, snapshot_count: 11 });
    expect(some.lanes[0]?.runs.map(({ from }) => from - hour(0))).toEqual(
      Array.from({ length: 11 }, (_, i) => 100 + i),
    );
    expect(some.compliance.map(({ from, until }) => [from - hour(0), until - hour(0)])).toEqual(
      Array.from({ length: 11 }, (_, i) => [100 + i, i < 10 ? 101 + i : 110.5]),
    );
  });
});

describe('fewer runs than there are', () => {
  const minute = { from: String(hour(0) + 100), to: String(hour(0) + 160) };

  it('are those that exited last, with the time from which none is missing', async () => {
    const { lanes, ...body } = await timelineOf('busy', { ...minute, runs: '10' });
    expect(lanes[0]?.runs.map(({ from }) => from - hour(0))).toEqual(Array.from({ length: 10 }, (_, i) => 151 + i));
    expect(body).toMatchObject({ truncated: true, runs_from: hour(0) + 151, total_lanes: 1, snapshot_count: 61 });
  });

  it('are none from the end of the window on, when more are still running than were requested', async () => {
    story.at(60);
    await givenEnvironment(api, 'wide');
    await givenRunning(api, 'wide', { a: 'd', b: 'e', c: 'f' });
    story.at(61);
    await givenRunning(api, 'wide', { a: 'd' });
    story.at(62);
    expect(await timelineOf('wide', { ...within(60, 60.5), runs: '2' })).toMatchObject({
      truncated: true,
      runs_from: hour(60.5),
      total_lanes: 3,
    });
    expect(await timelineOf('wide', { ...within(60, 62), runs: '1' })).toMatchObject({
      truncated: true,
      runs_from: hour(61),
    });
    expect(await timelineOf('wide', { ...within(60, 62), runs: '3' })).toMatchObject({
      truncated: false,
      runs_from: null,
    });
  });

  it('are none at all when only the rest is requested', async () => {
    const { lanes, total_lanes, runs_from, truncated, ...rest } = await timelineOf('busy', minute);
    expect(await timelineOf('busy', { ...minute, runs: '0' })).toEqual({
      ...rest,
      lanes: [],
      total_lanes: 0,
      runs_from: null,
      truncated: false,
    });
    expect([lanes.length, total_lanes, runs_from, truncated]).toEqual([1, 1, null, false]);
  });
});

describe('a timeline is refused', () => {
  it.each([
    [{ from: 'yesterday' }, 'query.from', 'must be seconds since 1970'],
    [{ from: '20', to: '10' }, 'query.from', 'must be before query.to'],
    [{ from: '0' }, 'query.from', 'is too early: a window can have at most 400 days'],
    [{ from: '9999999999' }, 'query.from', 'must be in the past'],
    [{ per_page: '101' }, 'query.per_page', expect.any(String)],
    [{ page: '0' }, 'query.page', expect.any(String)],
    [{ runs: '2001' }, 'query.runs', expect.any(String)],
    [{ name: 'x\u0000' }, 'query.name', expect.any(String)],
  ])('for %j', async (query, field, reason) => {
    const { status, body } = await ask('prod', query as Record<string, string>);
    expect([status, body]).toEqual([400, expect.objectContaining({ errors: { [field]: reason } })]);
  });

  it('for an environment that does not exist, is of another org, or is logical', async () => {
    expect((await ask('nowhere')).status).toBe(404);
    const other = await api.givenOrg('others');
    const call = { params: { env_name: 'prod' }, key: other.keys.admin };
    expect((await api.call(getTimeline, call)).status).toBe(403);
    await givenEnvironment(api, 'whole', 'logical', { included_environments: ['prod'] });
    const { status, body } = await ask('whole');
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({
        errors: {
          env_name: 'is a logical environment and has no snapshots of its own; use those of its members: prod',
        },
      }),
    ]);
  });
});

it('a stale environment that failed stays non-compliant', async () => {
  story.at(50);
  await givenFailing(api, 'red');
  story.at(60);
  const { gaps, compliance } = await timelineOf('red', within(50, 60));
  expect(gaps).toEqual([{ from: hour(52), until: null }]);
  expect(compliance).toEqual([interval('non-compliant', 50, 60)]);
});
