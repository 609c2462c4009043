import { execFileSync } from 'node:child_process';
import { getAuditLog, renameFlow, roles } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../../test/given/environments.ts';
import { commit, fingerprint, givenArtifact, givenFlow } from '../../../../test/given/evidence.ts';
import { givenReevaluation, givenReport } from '../../../../test/given/reports.ts';
import { type Answer, startApi } from '../../../../test/harness.ts';

const api = await startApi();
let count = 0;

const HEADER =
  'timestamp,event,environment,snapshot_index,artifact_name,fingerprint,flow,trail,git_commit,commit_url,repository,' +
  'compliant,reason,instances';

async function given(): Promise<string> {
  const name = `env-${++count}`;
  await givenEnvironment(api, name);
  return name;
}

type Query = Record<string, string>;

function download(env: string, query: Query = {}, more: { key?: string; params?: Record<string, string> } = {}) {
  const params = { env_name: env, ...more.params };
  return api.call(getAuditLog, { ...more, params, query }) as Promise<Answer<unknown>>;
}

const READ = `
import csv, io, json, sys
text = io.TextIOWrapper(sys.stdin.buffer, encoding='utf-8', newline='').read()
print(json.dumps(list(csv.DictReader(io.StringIO(text, newline=''), strict=True))))
`;

/** Reads it with a third-party parser. */
async function rowsOf(env: string, query: Query = {}): Promise<Record<string, string>[]> {
  const { status, body } = await download(env, query);
  if (status !== 200) throw new Error(`refused: ${JSON.stringify(body)}`);
  expect((body as string).split('\r\n')[0]).toBe(HEADER);
  const read = execFileSync('python3', ['-c', READ], { input: body as string, encoding: 'utf8' });
  return JSON.parse(read) as Record<string, string>[];
}

const inShort = (rows: Record<string, string>[]) =>
  rows.map((row) => `${row['event']} ${row['snapshot_index']} ${row['artifact_name']}`);

const seconds = (minute: number) => Date.UTC(2026, 10, 1, 12, minute) / 1000;

function at(minute: number, ms = 0): void {
  api.clock.now = new Date(seconds(minute) * 1000 + ms);
}

const REPOSITORY = { name: 'acme/shop', url: 'https://git.example.com/acme/shop' };

/** One artifact whose provenance is known, one whose provenance comes late, and one without any. */
async function givenHistory(flow: string): Promise<string> {
  const env = await given();
  await givenFlow(api, flow);
  await givenFlow(api, `${flow}-late`);
  const [known, late, unknown] = [digest(), digest(), digest()];
  await givenArtifact(api, flow, known, { trail_name: 't-1', repo_info: REPOSITORY });
  at(1);
  await givenReport(api, env, [
    ['known', fingerprint(known)],
    ['late', fingerprint(late)],
    ['unknown', fingerprint(unknown)],
    ['unknown', fingerprint(unknown)],
  ]);
  at(2);
  await givenArtifact(api, `${flow}-late`, late, { trail_name: 't-2' });
  await givenReevaluation(api, env);
  at(3, 123);
  await givenReport(api, env, []);
  return env;
}

const DIGITS = '0123456789abcdef';
let used = 0;

/** A digest that no other test uses. */
function digest(): string {
  const digit = DIGITS[used++];
  if (digit === undefined) throw new Error('no digit is left');
  return digit;
}

const STARTED = ['started 1 known', 'started 1 late', 'started 1 unknown'];
const EXITED = ['exited 3 known', 'exited 3 late', 'exited 3 unknown'];

describe('an audit log', () => {
  it('is a file with a line for each event, oldest first', async () => {
    const env = await givenHistory('whole');
    const answer = await download(env);
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': expect.stringContaining(`"${env}-auditlog.csv"`),
      },
    });
    expect(answer.body).toMatch(/\r\n$/);
    const rows = await rowsOf(env);
    expect(inShort(rows)).toEqual([...STARTED, 'changed 2 late', ...EXITED]);
    expect(rows[0]).toEqual({
      timestamp: '2026-11-01T12:01:00.000Z',
      event: 'started',
      environment: env,
      snapshot_index: '1',
      artifact_name: 'known',
      fingerprint: fingerprint('0'),
      flow: 'whole',
      trail: 't-1',
      git_commit: commit('0'),
      commit_url: `https://git.example.com/${commit('0')}`,
      repository: 'acme/shop',
      compliant: 'unknown',
      reason: '',
      instances: '1',
    });
    expect(rows[1]).toMatchObject({ artifact_name: 'late', flow: '', trail: '', git_commit: '', repository: '' });
    expect(rows[3]).toMatchObject({ event: 'changed', artifact_name: 'late', flow: 'whole-late', trail: 't-2' });
    expect(rows[6]).toMatchObject({ timestamp: '2026-11-01T12:03:00.123Z', artifact_name: 'unknown', instances: '2' });
  });

  it('of an environment that never reported has its header', async () => {
    expect((await download(await given())).body).toBe(`${HEADER}\r\n`);
  });

  it('shows names as text that a spreadsheet would run', async () => {
    const env = await given();
    const names = ['=cmd()', '+1', '-1', '@SUM(A1)', '"=1', 'a,b', 'say "hi"', "it's", 'größe ✓', ' =1'];
    await givenReport(
      api,
      env,
      names.map((name, i) => [name, i.toString(16).padStart(64, '0')]),
    );
    const rows = await rowsOf(env);
    const shown = new Map(rows.map((row) => [row['fingerprint']?.at(-1), row['artifact_name']]));
    expect(names.map((_, i) => shown.get(i.toString(16)))).toEqual([
      "'=cmd()",
      "'+1",
      "'-1",
      "'@SUM(A1)",
      `'"=1`,
      'a,b',
      'say "hi"',
      "it's",
      'größe ✓',
      ' =1',
    ]);
  });
});

describe('a filter', () => {
  it('lets through what matches all of its parts', async () => {
    const env = await givenHistory('filtered');
    const all = [...STARTED, 'changed 2 late', ...EXITED];
    const cases: [Query, string[]][] = [
      [{ from_timestamp: String(seconds(2)) }, ['changed 2 late', ...EXITED]],
      [{ to_timestamp: String(seconds(2)) }, [...STARTED, 'changed 2 late']],
      [{ from_timestamp: String(seconds(2)), to_timestamp: String(seconds(2)) }, ['changed 2 late']],
      [{ from_timestamp: String(seconds(3) + 0.123) }, EXITED],
      [{ from_timestamp: String(seconds(3) + 0.124) }, []],
      [{ from_timestamp: '', to_timestamp: '', event_types: '', flow_names: '', repo_names: '' }, all],
      [{ event_types: 'started' }, STARTED],
      [{ event_types: 'exited, changed' }, ['changed 2 late', ...EXITED]],
      [{ flow_names: 'filtered' }, ['started 1 known', 'exited 3 known']],
      [{ flow_names: 'filtered-late' }, ['changed 2 late', 'exited 3 late']],
      [{ flow_names: 'no provenance' }, ['started 1 late', 'started 1 unknown', 'exited 3 unknown']],
      [
        { flow_names: 'filtered,no provenance' },
        ['started 1 known', 'started 1 late', 'started 1 unknown', 'exited 3 known', 'exited 3 unknown'],
      ],
      [{ flow_names: 'nobody' }, []],
      [{ repo_names: 'acme/shop' }, ['started 1 known', 'exited 3 known']],
      [{ repo_names: 'nobody/nothing' }, []],
      [{ repo_names: 'acme/shop', flow_names: 'no provenance' }, []],
      [{ repo_names: 'acme/shop,nobody/nothing', event_types: 'exited' }, ['exited 3 known']],
      [{ flow_names: 'filtered', to_timestamp: String(seconds(1)), event_types: 'started' }, ['started 1 known']],
    ];
    for (const [query, events] of cases) {
      expect({ query, events: inShort(await rowsOf(env, query)) }).toEqual({ query, events });
    }
  });

  it('by flow knows the name it has now and the one it had, and shows the flow it selects', async () => {
    const env = await given();
    await givenFlow(api, 'old-name');
    await givenFlow(api, 'second');
    const shared = digest();
    await givenArtifact(api, 'old-name', shared);
    await givenArtifact(api, 'second', shared);
    await givenReport(api, env, [['web', fingerprint(shared)]]);
    await api.call(renameFlow, { params: { flow_name: 'old-name' }, body: { new_name: 'new-name' } });
    expect(await rowsOf(env)).toMatchObject([{ flow: 'second' }]);
    expect(await rowsOf(env, { flow_names: 'new-name' })).toMatchObject([{ flow: 'new-name' }]);
    expect(await rowsOf(env, { flow_names: 'old-name' })).toMatchObject([{ flow: 'new-name' }]);
  });

  it.each<[Query, Record<string, string>]>([
    [
      { event_types: 'started,scaled' },
      { 'query.event_types': "contains 'scaled', which is none of started, exited, changed" },
    ],
    [
      { from_timestamp: '2', to_timestamp: '1' },
      { 'query.from_timestamp': 'is after query.to_timestamp; the earlier time must come first' },
    ],
    [{ from_timestamp: 'x' }, { 'query.from_timestamp': 'must be seconds since 1970' }],
    [{ to_time: '1' }, { 'query.to_time': 'is unknown' }],
  ])('%j is refused', async (query, errors) => {
    expect(await download(await given(), query)).toMatchObject({ status: 400, body: { errors } });
  });
});

describe('of a logical environment', () => {
  it('it has the events of the members, merged by time', async () => {
    const [first, second] = [await given(), await given()];
    const logical = `env-${++count}`;
    await givenEnvironment(api, logical, 'logical', { included_environments: [second, first] });
    expect(await rowsOf(logical)).toEqual([]);
    const [one, two] = ['1'.padStart(64, '0'), '2'.padStart(64, '0')];
    at(1);
    await givenReport(api, second, [['s', one]]);
    at(2);
    await givenReport(api, second, [['s', two]]);
    await givenReport(api, first, [['f', one]]);
    at(3);
    await givenReport(api, second, []);
    at(4);
    await givenReport(api, first, []);
    const rows = await rowsOf(logical);
    expect(rows.map((row) => `${row['environment']} ${row['event']} ${row['snapshot_index']}`)).toEqual([
      `${second} started 1`,
      `${first} started 1`,
      `${second} exited 2`,
      `${second} started 2`,
      `${second} exited 3`,
      `${first} exited 2`,
    ]);
    const later = await rowsOf(logical, { from_timestamp: String(seconds(3)), event_types: 'exited' });
    expect(later.map((row) => row['environment'])).toEqual([second, first]);
  });
});

it('is for every role of the org, and for no other org', async () => {
  const env = await given();
  for (const role of roles) expect((await download(env, {}, { key: api.org.keys[role] })).status).toBe(200);
  const other = await api.givenOrg('others');
  expect((await download(env, {}, { key: other.keys.admin })).status).toBe(403);
  expect((await download(env, {}, { key: other.keys.admin, params: { org: 'others' } })).status).toBe(404);
  expect((await download(env, {}, { key: '' })).status).toBe(401);
});

it('of an environment that is not there is refused with its name', async () => {
  expect(await download('nowhere')).toMatchObject({
    status: 404,
    body: { message: "Environment 'nowhere' does not exist in this org" },
  });
});
