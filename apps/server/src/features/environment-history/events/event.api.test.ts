import { type EnvironmentEvent, listEnvironmentEvents, renameEnvironment, renameFlow, roles } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { environmentOf, givenEnvironment } from '../../../../test/given/environments.ts';
import { commit, fingerprint, givenArtifact, givenFlow } from '../../../../test/given/evidence.ts';
import { givenReevaluation, givenReport } from '../../../../test/given/reports.ts';
import { type Answer, startApi } from '../../../../test/harness.ts';

const api = await startApi();
let count = 0;

async function given(): Promise<string> {
  const name = `env-${++count}`;
  await givenEnvironment(api, name);
  return name;
}

type Query = Record<string, string | string[]>;

function list(env: string, query: Query = {}, more: { key?: string; params?: Record<string, string> } = {}) {
  const params = { env_name: env, ...more.params };
  return api.call(listEnvironmentEvents, { ...more, params, query }) as Promise<Answer<EnvironmentEvent[]>>;
}

/** In short: type, snapshot and name. */
const inShort = ({ type, snapshot_index, artifact_name }: EnvironmentEvent) =>
  `${type} ${snapshot_index} ${artifact_name}`;

async function listed(env: string, query: Query = {}): Promise<string[]> {
  const answer = await list(env, query);
  if (answer.status !== 200) throw new Error(`refused: ${JSON.stringify(answer.body)}`);
  return answer.body.map(inShort);
}

const seconds = (minute: number) => Date.UTC(2026, 10, 1, 12, minute) / 1000;

function at(minute: number): void {
  api.clock.now = new Date(seconds(minute) * 1000);
}

/** Four snapshots, at the minutes 1 to 4. */
async function givenHistory(): Promise<string> {
  const env = await given();
  const reports: [string, string][][] = [
    [
      ['b', fingerprint('1')],
      ['a', fingerprint('2')],
    ],
    [
      ['b', fingerprint('3')],
      ['a', fingerprint('2')],
    ],
    [['b', fingerprint('3')]],
    [
      ['c', fingerprint('4')],
      ['d', fingerprint('5')],
    ],
  ];
  for (const [i, runs] of reports.entries()) {
    at(i + 1);
    await givenReport(api, env, runs);
  }
  return env;
}

const OLDEST_FIRST = [
  'started 1 a',
  'started 1 b',
  'exited 2 b',
  'started 2 b',
  'exited 3 a',
  'exited 4 b',
  'started 4 c',
  'started 4 d',
];
const NEWEST_FIRST = OLDEST_FIRST.toReversed();

describe('events of an environment', () => {
  it('are listed newest first, or oldest first when asked', async () => {
    const env = await givenHistory();
    expect(await listed(env)).toEqual(NEWEST_FIRST);
    expect(await listed(env, { interval: '', reverse: '' })).toEqual(NEWEST_FIRST);
    expect(await listed(env, { reverse: 'true' })).toEqual(OLDEST_FIRST);
  });

  it('come in pages that together are the whole list, whatever their size', async () => {
    const env = await givenHistory();
    for (const per_page of ['1', '2', '3', '5', '8', '100']) {
      for (const reverse of ['true', 'false']) {
        const pages: string[] = [];
        for (let page = 1; page <= Math.ceil(8 / Number(per_page)); page++) {
          pages.push(...(await listed(env, { per_page, page: String(page), reverse })));
        }
        expect(pages).toEqual(reverse === 'true' ? OLDEST_FIRST : NEWEST_FIRST);
      }
    }
  });

  it('say in headers where the page is', async () => {
    const env = await givenHistory();
    expect(await list(env, { page: '2', per_page: '3', reverse: 'true' })).toMatchObject({
      headers: {
        'x-total-count': '8',
        'x-per-page': '3',
        'x-current-page': '2',
        'x-total-pages': '3',
        link: [
          `<http://waymark.test/api/v2/environments/acme/${env}/events?page=1&per_page=3&reverse=true>; rel="first"`,
          `<http://waymark.test/api/v2/environments/acme/${env}/events?page=1&per_page=3&reverse=true>; rel="prev"`,
          `<http://waymark.test/api/v2/environments/acme/${env}/events?page=3&per_page=3&reverse=true>; rel="next"`,
          `<http://waymark.test/api/v2/environments/acme/${env}/events?page=3&per_page=3&reverse=true>; rel="last"`,
        ].join(', '),
      },
    });
    expect(await list(env, { page: '9', per_page: '3', reverse: 'true' })).toMatchObject({
      status: 200,
      body: [],
      headers: {
        'x-total-count': '8',
        'x-current-page': '9',
        link: expect.stringMatching(/page=3&[^>]*>; rel="prev"/),
      },
    });
  });

  it('are fifteen on a page by default, and a hundred at most', async () => {
    const env = await given();
    await givenReport(
      api,
      env,
      Array.from({ length: 120 }, (_, i) => [`app-${i}`, i.toString(16).padStart(64, '0')]),
    );
    expect(await listed(env)).toHaveLength(15);
    expect(await listed(env, { per_page: '100' })).toHaveLength(100);
    expect(await list(env, { per_page: '101' })).toMatchObject({
      status: 400,
      body: { errors: { 'query.per_page': 'must be at most 100' } },
    });
    const [first] = await listed(env, { page: '120', per_page: '1', reverse: 'true' });
    expect(first).toBe('started 1 app-99');
  });

  it('are none for an environment that never reported', async () => {
    expect(await list(await given())).toMatchObject({
      status: 200,
      body: [],
      headers: { 'x-total-count': '0', 'x-total-pages': '0' },
    });
  });

  it('are found where snapshots without events lie between', async () => {
    const env = await given();
    await givenReport(api, env, []);
    await givenReport(api, env, [['a', fingerprint('1')]]);
    await givenEmptySnapshots(env, 3);
    expect(await listed(env)).toEqual(['started 2 a']);
    expect(await listed(env, { start: '3' })).toEqual([]);
    expect(await listed(env, { interval: '1..2' })).toEqual(['started 2 a']);
  });
});

/** As when policies are attached, which changes no artifact. */
async function givenEmptySnapshots(env: string, times: number): Promise<void> {
  const { id } = await environmentOf(api, env);
  const of = (db: typeof api.db) =>
    db.selectFrom('snapshot').where('org_id', '=', api.org.id).where('environment_id', '=', id);
  for (let i = 0; i < times; i++) {
    const last = await of(api.db).selectAll().orderBy('index', 'desc').executeTakeFirstOrThrow();
    await api.db
      .insertInto('snapshot')
      .values({ ...last, index: last.index + 1, started_count: 0 })
      .execute();
    await api.db
      .updateTable('environment')
      .set({ snapshot_count: last.index + 1 })
      .where('org_id', '=', api.org.id)
      .where('id', '=', id)
      .execute();
  }
}

describe('an event', () => {
  it('has every known fact about an artifact without provenance', async () => {
    const env = await given();
    at(1);
    await givenReport(api, env, [
      ['web', fingerprint('1')],
      ['web', fingerprint('1')],
      ['web', fingerprint('1')],
    ]);
    expect((await list(env)).body).toEqual([
      {
        environment_name: env,
        snapshot_index: 1,
        type: 'started',
        artifact_name: 'web',
        sha256: fingerprint('1'),
        description: 'Started in snapshot 1 with 3 instances',
        reported_at: seconds(1),
        pipeline: '',
        flows: [],
        deployments: [1],
        artifact_compliance: null,
        snapshot_compliance: null,
        code_diff: '',
        _links: { snapshot: { href: `http://waymark.test/api/v2/snapshots/acme/${env}/1` } },
      },
    ]);
  });

  it('has the provenance of an artifact, and what it changed from', async () => {
    const env = await given();
    const page = (digit: string) => `https://git.example.com/acme/shop/commit/${commit(digit)}`;
    await givenFlow(api, 'shop');
    await givenFlow(api, 'audit');
    await givenArtifact(api, 'shop', 'a', { commit_url: page('a'), template_reference_name: 'backend' });
    await givenArtifact(api, 'audit', 'b', { commit_url: page('b'), trail_name: 't-0' });
    await givenArtifact(api, 'shop', 'b', { commit_url: page('b'), template_reference_name: 'backend' });
    await givenReport(api, env, [['shop:1', fingerprint('a')]]);
    await givenReport(api, env, [['shop:2', fingerprint('b')]]);
    const [started, exited] = (await list(env)).body;
    expect(started).toMatchObject({
      type: 'started',
      artifact_name: 'shop:2',
      description: 'Started in snapshot 2 with 1 instance',
      pipeline: 'shop',
      flows: [
        { flow_name: 'shop', deployments: [2] },
        { flow_name: 'audit', deployments: [2] },
      ],
      code_diff: `https://git.example.com/acme/shop/compare/${commit('a')}...${commit('b')}`,
      _links: {
        artifact: { href: `http://waymark.test/api/v2/artifacts/acme/shop/fingerprint/${fingerprint('b')}` },
      },
    });
    expect(exited).toMatchObject({
      type: 'exited',
      artifact_name: 'shop:1',
      description: 'Exited in snapshot 2',
      pipeline: 'shop',
      code_diff: '',
    });
  });

  it('has provenance that was reported late, and none before', async () => {
    const env = await given();
    await givenFlow(api, 'late');
    await givenReport(api, env, [['web', fingerprint('c')]]);
    await givenArtifact(api, 'late', 'c', { trail_name: 't1' });
    await givenReevaluation(api, env);
    await givenReport(api, env, []);
    const events = (await list(env)).body;
    expect(events.map(inShort)).toEqual(['exited 3 web', 'updated-provenance 2 web', 'started 1 web']);
    expect(events.map((event) => event.pipeline)).toEqual(['late', 'late', '']);
    expect(events[1]?.description).toBe("Provenance known since snapshot 2: flow 'late', trail 't1'");
  });

  it('has the names that its environment and flow have now, under their old ones too', async () => {
    const env = await given();
    await givenFlow(api, 'before');
    await givenArtifact(api, 'before', 'd');
    await givenReport(api, env, [['web', fingerprint('d')]]);
    await api.call(renameFlow, { params: { flow_name: 'before' }, body: { new_name: 'after' } });
    await api.call(renameEnvironment, { params: { env_name: env }, body: { new_name: `${env}-renamed` } });
    expect((await list(env)).body).toMatchObject([
      { environment_name: `${env}-renamed`, pipeline: 'after', flows: [{ flow_name: 'after' }] },
    ]);
  });

  it('names an artifact without a fingerprint', async () => {
    const env = `env-${++count}`;
    await givenEnvironment(api, env, 'K8S');
    await api.inject({
      method: 'PUT',
      url: `/api/v2/environments/acme/${env}/report/K8S`,
      headers: { authorization: `Bearer ${api.org.keys.snapshotter}` },
      payload: { artifacts: [{ podName: 'p', digests: { web: '' }, creationTimestamp: 1 }] },
    });
    expect((await list(env)).body).toMatchObject([{ type: 'started', artifact_name: 'web', sha256: '', flows: [] }]);
  });
});

describe('a window', () => {
  it.each<[Query, number[]]>([
    [{ start: '2' }, [4, 3, 2]],
    [{ end: '2' }, [2, 1]],
    [{ start: '2', end: '3' }, [3, 2]],
    [{ start: '-2' }, [4, 3]],
    [{ start: '-2', end: '-2' }, [3]],
    [{ start: '2', end: '99' }, [4, 3, 2]],
    [{ start: '5' }, []],
    [{ start: '4', end: '-3' }, []],
    [{ interval: '2..3' }, [3, 2]],
    [{ interval: '~1..NOW' }, [4, 3]],
    [{ interval: 'NOW' }, [4]],
    [{ interval: '2' }, [2]],
    [{ start: '150s' }, [4, 3]],
    [{ start: '3mins', end: '1min' }, [4, 3, 2]],
    [{ start: '2', end: '1min' }, [4, 3, 2]],
    [{ start_ts: String(seconds(2)) }, [4, 3, 2]],
    [{ end_ts: String(seconds(2)) }, [2, 1]],
    [{ start_ts: String(seconds(2) + 0.001), end_ts: String(seconds(4) - 0.001) }, [3]],
    [{ from: String(seconds(3)), to: String(seconds(3)) }, [3]],
    [{ start_ts: String(seconds(9)) }, []],
    [{ end_ts: '0' }, []],
    [{ start_ts: '', end_ts: '', start: '', end: '', from: '', to: '' }, [4, 3, 2, 1]],
    [{ start_ts: String(seconds(3)), start: '1', interval: '1..1' }, []],
    [{ start_ts: String(seconds(3)), start: '1', end: '3', interval: '1..1' }, [3]],
  ])('%j', async (query, indexes) => {
    const env = await givenHistory();
    at(5);
    const answer = await list(env, query);
    expect([...new Set(answer.body.map((event) => event.snapshot_index))]).toEqual(indexes);
    expect(answer.headers['x-total-count']).toBe(String(answer.body.length));
  });

  it('applies to every page', async () => {
    const env = await givenHistory();
    const query = { start: '2', end: '3', per_page: '2' };
    expect(await listed(env, { ...query, page: '1' })).toEqual(['exited 3 a', 'started 2 b']);
    expect(await listed(env, { ...query, page: '2' })).toEqual(['exited 2 b']);
    expect(await listed(env, { ...query, page: '3' })).toEqual([]);
  });

  it('from now to a snapshot before the latest is refused', async () => {
    const env = await givenHistory();
    expect(await list(env, { start: 'NOW', end: '1' })).toMatchObject({
      status: 400,
      body: { errors: { 'query.start': 'is after query.end; the earlier time must come first' } },
    });
    expect((await list(env, { start: 'NOW', end: '-1' })).status).toBe(200);
  });

  it.each<[Query, Record<string, unknown>]>([
    [{ start_ts: '2', end_ts: '1' }, { 'query.start_ts': 'is after query.end_ts; the earlier time must come first' }],
    [{ start_ts: '2', from: '1' }, { 'query.from': 'is an alias of start_ts, and the two values differ' }],
    [{ reverse: 'maybe' }, { 'query.reverse': 'must be one of true, false' }],
    [{ interval: '0..1' }, { 'query.interval': expect.stringMatching(/^has 0, and snapshots are numbered/) }],
    [{ start_ts: 'x' }, { 'query.start_ts': 'must be seconds since 1970' }],
    [{ end_ts: '1800000000000' }, { 'query.end_ts': 'must be seconds since 1970, not milliseconds' }],
    [{ end_ts: '-1' }, { 'query.end_ts': 'must be at least 0' }],
    [{ start: 'x' }, { 'query.start': expect.any(String) }],
    [{ interval: 'seven' }, { 'query.interval': expect.any(String) }],
    [{ page: '0' }, { 'query.page': expect.any(String) }],
    [{ unknown: '1' }, { 'query.unknown': 'is unknown' }],
  ])('%j is refused', async (query, errors) => {
    expect(await list(await given(), query)).toMatchObject({ status: 400, body: { errors } });
  });
});

describe('events by repository', () => {
  it('are those of artifacts that are known to come from it', async () => {
    const env = await given();
    await givenFlow(api, 'repos');
    await givenArtifact(api, 'repos', 'e', { repo_info: { name: 'acme/one', url: 'https://git.example.com/one' } });
    await givenArtifact(api, 'repos', 'f', { repo_info: { name: 'acme/two', url: 'https://git.example.com/two' } });
    await givenReport(api, env, [
      ['one', fingerprint('e')],
      ['two', fingerprint('f')],
      ['late', fingerprint('9')],
      ['other', fingerprint('8')],
    ]);
    await givenArtifact(api, 'repos', '9', { repo_info: { name: 'acme/one', url: 'https://git.example.com/one' } });
    await givenReevaluation(api, env);
    await givenReport(api, env, [['two', fingerprint('f')]]);

    const one = ['exited 3 one', 'exited 3 late', 'updated-provenance 2 late', 'started 1 one'];
    expect(await listed(env, { repo_name: 'acme/one' })).toEqual(one);
    expect(await listed(env, { repo_name: 'acme/one', reverse: 'true' })).toEqual(one.toReversed());
    expect(await listed(env, { repo_name: ['acme/two', 'nobody/nothing'] })).toEqual(['started 1 two']);
    expect(await listed(env, { repo_name: ['acme/one', 'acme/two'], start: '2' })).toEqual(one.slice(0, 3));
    expect(await listed(env, { repo_name: 'nobody/nothing' })).toEqual([]);
    expect(await listed(env, { repo_name: '' })).toHaveLength(8);
    const paged = await list(env, { repo_name: 'acme/one', per_page: '3', page: '2' });
    expect(paged).toMatchObject({ headers: { 'x-total-count': '4', 'x-total-pages': '2' } });
    expect(paged.body.map(inShort)).toEqual(['started 1 one']);
  });
});

describe('events of a logical environment', () => {
  async function givenLogical(): Promise<{ logical: string; first: string; second: string }> {
    const [first, second] = [await given(), await given()];
    const logical = `env-${++count}`;
    await givenEnvironment(api, logical, 'logical', { included_environments: [second, first] });
    return { logical, first, second };
  }

  const withNames = ({ body }: Answer<EnvironmentEvent[]>) =>
    body.map((event) => `${event.environment_name} ${inShort(event)}`);

  it('are those of its members, by time and then by name', async () => {
    const { logical, first, second } = await givenLogical();
    at(1);
    await givenReport(api, second, [['s', fingerprint('1')]]);
    at(2);
    await givenReport(api, first, [
      ['f', fingerprint('1')],
      ['g', fingerprint('2')],
    ]);
    await givenReport(api, second, [['s', fingerprint('2')]]);
    at(3);
    await givenReport(api, second, [['s', fingerprint('3')]]);
    at(4);
    await givenReport(api, first, []);
    const oldestFirst = [
      `${second} started 1 s`,
      `${first} started 1 f`,
      `${first} started 1 g`,
      `${second} exited 2 s`,
      `${second} started 2 s`,
      `${second} exited 3 s`,
      `${second} started 3 s`,
      `${first} exited 2 f`,
      `${first} exited 2 g`,
    ];
    expect(withNames(await list(logical))).toEqual(oldestFirst.toReversed());
    for (const per_page of ['1', '2', '4', '7']) {
      for (const reverse of ['true', 'false']) {
        const pages: string[] = [];
        for (let page = 1; page <= Math.ceil(9 / Number(per_page)); page++) {
          const answer = await list(logical, { per_page, page: String(page), reverse });
          expect(answer.headers['x-total-count']).toBe('9');
          pages.push(...withNames(answer));
        }
        expect(pages).toEqual(reverse === 'true' ? oldestFirst : oldestFirst.toReversed());
      }
    }
    const window = { start_ts: String(seconds(2)), end_ts: String(seconds(3)), reverse: 'true' };
    expect(withNames(await list(logical, window))).toEqual(oldestFirst.slice(1, 7));
    expect((await list(logical, { repo_name: 'nobody/nothing' })).body).toEqual([]);
  });

  it('by repository are merged too', async () => {
    const { logical, first, second } = await givenLogical();
    await givenFlow(api, 'both');
    await givenArtifact(api, 'both', '7', { repo_info: { name: 'acme/both', url: 'https://git.example.com/both' } });
    at(1);
    await givenReport(api, second, [['s', fingerprint('7')]]);
    at(2);
    await givenReport(api, first, [['f', fingerprint('7')]]);
    at(3);
    await givenReport(api, second, []);
    const query = { repo_name: 'acme/both' };
    const events = [`${second} exited 2 s`, `${first} started 1 f`, `${second} started 1 s`];
    expect(withNames(await list(logical, query))).toEqual(events);
    expect(withNames(await list(logical, { ...query, per_page: '1', page: '2' }))).toEqual(events.slice(1, 2));
    expect(withNames(await list(logical, { ...query, reverse: 'true' }))).toEqual(events.toReversed());
  });

  it('cannot be requested by index, nor beyond a hundred thousand', async () => {
    const { logical } = await givenLogical();
    for (const name of ['start', 'end', 'interval']) {
      const errors = { [`query.${name}`]: expect.stringContaining('has no snapshot numbers') };
      const query = { [name]: name === 'interval' ? '1..NOW' : '1' };
      expect(await list(logical, query)).toMatchObject({ status: 400, body: { errors } });
    }
    expect(await list(logical, { page: '1001', per_page: '100' })).toMatchObject({
      status: 400,
      body: { errors: { 'query.page': expect.stringContaining('100000') } },
    });
    expect(await list(logical, { page: '1000', per_page: '100', interval: '' })).toMatchObject({
      status: 200,
      body: [],
    });
  });

  it('are none without members', async () => {
    const logical = `env-${++count}`;
    await givenEnvironment(api, logical, 'logical');
    expect(await list(logical)).toMatchObject({ status: 200, body: [], headers: { 'x-total-count': '0' } });
    expect((await list(logical, { repo_name: 'acme/one' })).body).toEqual([]);
  });
});

it('what an environment runs is visible to every role of its org, and to no other org', async () => {
  const env = await givenHistory();
  for (const role of roles) expect((await list(env, {}, { key: api.org.keys[role] })).status).toBe(200);
  const other = await api.givenOrg('others');
  expect((await list(env, {}, { key: other.keys.admin })).status).toBe(403);
  expect(await list(env, {}, { key: other.keys.admin, params: { org: 'others' } })).toMatchObject({ status: 404 });
  expect((await list(env, {}, { key: '' })).status).toBe(401);
});

it('an environment that does not exist is named in the error', async () => {
  expect(await list('nowhere')).toMatchObject({
    status: 404,
    body: { message: "Environment 'nowhere' does not exist in this org" },
  });
});

it('a history of many reports is the same in pages of any size as what was reported', async () => {
  const env = await given();
  const runs = new Set<string>();
  const expected: string[] = [];
  const names = ['a', 'b', 'c', 'd', 'e'];
  for (let report = 1; report <= 25; report++) {
    const before = [...runs].sort();
    for (const [i, name] of names.entries()) if ((report * 7 + i * 3) % 4 === 0) flip(runs, name);
    const after = [...runs].sort();
    const changes = [
      ...before.filter((name) => !runs.has(name)).map((name) => ['exited', name]),
      ...after.filter((name) => !before.includes(name)).map((name) => ['started', name]),
    ];
    await givenReport(
      api,
      env,
      after.map((name) => [name, fingerprint(name)]),
    );
    expected.push(...changes.map((change) => change.join(' ')));
  }
  const events: string[] = [];
  for (let page = 1; page <= Math.ceil(expected.length / 4); page++) {
    const { body } = await list(env, { reverse: 'true', per_page: '4', page: String(page) });
    events.push(...body.map((event) => `${event.type} ${event.artifact_name}`));
  }
  expect(events).toEqual(expected);
});

function flip(runs: Set<string>, name: string): void {
  if (!runs.delete(name)) runs.add(name);
}
