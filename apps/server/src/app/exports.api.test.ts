import {
  allowArtifact,
  attestOverride,
  type Contract,
  EXPORT_MAX,
  exportAttestations,
  exportDeployments,
  exportEnvironments,
  exportFlows,
  exportFlowTrails,
  exportMembershipAuditLog,
  exportPolicies,
  exportSnapshots,
  exportWaivers,
  fillPath,
  getMembershipAuditLog,
  listAttestations,
  listDeployments,
  listEnvironmentDeployments,
  listEnvironments,
  listFlows,
  listFlowTrails,
  listPolicies,
  listSnapshots,
  listWaivers,
  patchTags,
  putFlow,
  roles,
  TRAIL_EXPORT_MAX,
} from '@waymark/contract';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../test/given/environments.ts';
import { attest, fingerprint, givenArtifact, givenFlow, givenTrail } from '../../test/given/evidence.ts';
import { givenAttached, givenPolicy } from '../../test/given/policies.ts';
import { givenReport } from '../../test/given/reports.ts';
import { startApi, type TestOrg } from '../../test/harness.ts';
import { readCsv } from '../../test/model/read-csv.ts';

const api = await startApi();
const other = await api.givenOrg('other');
const large = await api.givenOrg('large');

type Query = Record<string, string>;

interface Call {
  readonly params?: Query;
  readonly query?: Query;
  readonly org?: TestOrg;
  readonly key?: string;
}

/** The bytes as they were sent. */
async function bytesOf(contract: Contract, { params = {}, query = {}, org = api.org, key }: Call = {}) {
  const path = fillPath(contract, (name) => encodeURIComponent(name === 'org' ? org.name : (params[name] ?? '')));
  const response = await api.app.http.inject({
    method: 'GET',
    url: `/api/v2${path}?${new URLSearchParams(query)}`,
    headers: { authorization: `Bearer ${key ?? org.keys.admin}` },
  });
  return { status: response.statusCode, headers: response.headers, text: response.body };
}

async function linesOf(contract: Contract, call: Call = {}): Promise<string[][]> {
  const { status, text } = await bytesOf(contract, call);
  if (status !== 200) throw new Error(text);
  return readCsv(text);
}

beforeAll(async () => {
  const start = api.clock.now.getTime();
  const later = (minutes: number) => {
    api.clock.now = new Date(start + minutes * 60_000);
  };
  for (const [i, name] of ['beta', 'alpha', 'gamma'].entries()) {
    later(i);
    await givenFlow(api, name, 'version: 1\n');
    await givenEnvironment(api, `env-${name}`);
    await givenTrail(api, 'beta', `trail-${name}`);
    await givenArtifact(api, 'beta', String(i + 1), { trail_name: `trail-${name}` });
    await givenReport(api, 'env-beta', [['web', fingerprint(String(i + 1))]]);
    const waiver = {
      artifact_fingerprint: fingerprint(String(i + 1)),
      artifact_name: 'web',
      description: `as ${name}`,
    };
    await api.call(allowArtifact, { params: { env_name: 'env-beta' }, body: waiver });
    await givenPolicy(api, `policy-${name}`);
  }
  await givenAttached(api, 'env-beta', ['policy-alpha']);
  await api.call(putFlow, { body: { name: 'alpha', description: '=HYPERLINK("https://evil.example", "Click")' } });
  await api.call(patchTags, { params: { type: 'flow', id: 'alpha' }, body: { set_tags: { owner: 'red', tier: '1' } } });
  await api.call(patchTags, { params: { type: 'env', id: 'env-alpha' }, body: { set_tags: { owner: 'red' } } });
  for (const name of ['scan', 'review']) {
    await attest(api, 'beta', 'trail-beta', { attestation_name: name, is_compliant: false });
    await api.call(attestOverride, {
      params: { flow_name: 'beta', trail_name: 'trail-beta' },
      body: {
        attestation_name: name,
        original_attestation_type: 'generic',
        new_compliance_status: true,
        reason: `accepted ${name}`,
      },
    });
  }
});

interface Listed {
  readonly exported: Contract;
  readonly list: Contract;
  readonly params?: Query;
  /** For both; the second is for the list alone. */
  readonly queries: readonly (readonly [shared: Query, ofList?: Query])[];
  /** Where the items are in the response of the list. */
  readonly items: (body: never) => unknown;
}

const lists: readonly Listed[] = [
  {
    exported: exportFlows,
    list: listFlows,
    queries: [
      [{}],
      [{ sort: 'latest_activity' }],
      [{ tag: 'owner:red' }],
      [{ search_by_name: 'a', sort_direction: 'desc' }],
    ],
    items: (body) => body,
  },
  {
    exported: exportEnvironments,
    list: listEnvironments,
    queries: [[{}], [{ sort: 'last_changed_at' }], [{ tag: 'owner' }], [{ compliance: 'unknown', name: 'ALP' }]],
    items: (body) => body,
  },
  {
    exported: exportFlowTrails,
    list: listFlowTrails,
    params: { flow_name: 'beta' },
    queries: [[{}], [{ commit: '111111' }], [{ fingerprint: fingerprint('2') }]],
    items: (body) => body,
  },
  {
    exported: exportDeployments,
    list: listDeployments,
    queries: [[{}], [{ flow_name: 'beta' }], [{ from: '1' }], [{ to: '1' }]],
    items: ({ data }: { data: unknown }) => data,
  },
  {
    exported: exportSnapshots,
    list: listSnapshots,
    params: { env_name: 'env-beta' },
    queries: [[{}], [{ reverse: 'true' }], [{ interval: '2..NOW' }]],
    items: (body) => body,
  },
  {
    exported: exportPolicies,
    list: listPolicies,
    queries: [[{}], [{ archived: 'true' }], [{ name: 'ALPHA' }]],
    items: (body) => body,
  },
  {
    exported: exportWaivers,
    list: listWaivers,
    queries: [[{}], [{ ended: 'true' }], [{ environment_name: 'env-alpha' }]],
    items: (body) => body,
  },
  {
    exported: exportAttestations,
    list: listAttestations,
    queries: [[{}], [{ type: 'override' }], [{ name: 'scan', is_compliant: 'false' }], [{ attestation_id: 'none' }]],
    items: ({ data }: { data: unknown }) => data,
  },
  {
    exported: exportMembershipAuditLog,
    list: getMembershipAuditLog,
    queries: [
      [{}, { per_page: '100' }],
      [{ sort_by: 'user', sort_dir: 'asc' }, { per_page: '100' }],
      [{ event_type: 'removed' }],
    ],
    items: ({ events }: { events: unknown }) => events,
  },
];

describe.each(lists.map((listed) => [listed.exported.id, listed] as const))('%s', (_, listed) => {
  const { exported, list, params = {}, queries, items } = listed;

  it('contains as JSON the bytes that the list shows, for every filter and sort', async () => {
    for (const [shared, ofList = {}] of queries) {
      const shown = await bytesOf(list, { params, query: { ...shared, ...ofList } });
      const file = await bytesOf(exported, { params, query: { ...shared, format: 'json' } });
      expect(file.status, file.text).toBe(200);
      expect(file.text).toBe(JSON.stringify(items(JSON.parse(shown.text) as never)));
      expect(file.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(file.headers['content-disposition']).toMatch(/^attachment; filename="[a-z-]+\.json"$/);
    }
  });

  it('has one line of CSV for each of them, under a header', async () => {
    for (const [shared] of queries) {
      const { text } = await bytesOf(exported, { params, query: { ...shared, format: 'json' } });
      const [header = [], ...lines] = await linesOf(exported, { params, query: shared });
      expect(lines).toHaveLength((JSON.parse(text) as unknown[]).length);
      for (const line of lines) expect(line).toHaveLength(header.length);
    }
    const { headers } = await bytesOf(exported, { params });
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
  });

  it('contains nothing of another org, and is refused to its members', async () => {
    const own = await bytesOf(exported, { params, query: { format: 'json' }, org: other });
    if (Object.keys(params).length > 0) expect(own.status).toBe(404);
    else expect(own.text).not.toMatch(/beta|alpha|gamma|acme/);
    expect((await bytesOf(exported, { params, key: other.keys.admin })).status).toBe(403);
  });

  it('is open to the roles that may read the list', async () => {
    for (const role of roles) {
      const key = api.org.keys[role];
      const { status } = await bytesOf(list, { params, key });
      expect((await bytesOf(exported, { params, key })).status, role).toBe(status);
    }
  });

  it('refuses an unknown filter and format', async () => {
    expect((await bytesOf(exported, { params, query: { page: '2' } })).status).toBe(400);
    expect((await bytesOf(exported, { params, query: { format: 'xlsx' } })).status).toBe(400);
  });
});

it('deployments are those of an environment if one is given', async () => {
  const params = { env_name: 'env-beta' };
  const shown = await bytesOf(listEnvironmentDeployments, { params });
  const file = await bytesOf(exportDeployments, { query: { ...params, format: 'json' } });
  expect(file.text).toBe(JSON.stringify((JSON.parse(shown.text) as { data: unknown }).data));
  expect((await bytesOf(exportDeployments, { query: { env_name: 'env-alpha', format: 'json' } })).text).toBe('[]');
});

it('no cell becomes a formula, and tags and times can be read', async () => {
  const [header = [], line = []] = await linesOf(exportFlows, { query: { search_by_name: 'alpha' } });
  const cell = (name: string) => line[header.indexOf(name)];
  expect(cell('description')).toBe('\'=HYPERLINK("https://evil.example", "Click")');
  expect(cell('tags')).toBe('owner=red; tier=1');
  expect(cell('created_at')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

describe('a large list', () => {
  const FLOWS = EXPORT_MAX;
  beforeAll(async () => {
    await sql`
      insert into flow (org_id, id, name, description, visibility, template, repo_url, revision, created_at, created_by,
        last_modified_at, latest_activity_at)
      select ${large.id}, gen_random_uuid(), 'flow-' || i, '', 'private', 'version: 1', '', 1, now(), 'x', now(),
        date_trunc('milliseconds', now()) - make_interval(secs => i % 400)
      from generate_series(1, ${FLOWS}::int) as i`.execute(api.db);
    await sql`
      insert into trail (org_id, id, flow_id, name, description, template_id, auto_created, revision, created_at,
        created_by, last_modified_at)
      select ${large.id}, gen_random_uuid(), flow.id, 'trail-' || i, '', gen_random_uuid(), false, 1, now(), 'x', now()
      from flow, generate_series(1, ${TRAIL_EXPORT_MAX + 1}::int) as i
      where flow.org_id = ${large.id} and flow.name = 'flow-1'`.execute(api.db);
  });

  it('is exported in one order over all batches, each item once', async () => {
    for (const query of [{ search_by_name: 'flow-12' }, { search_by_name: 'flow-13', sort: 'latest_activity' }]) {
      const shown = await bytesOf(listFlows, { org: large, query });
      const file = await bytesOf(exportFlows, { org: large, query: { ...query, format: 'json' } });
      // Compared here, because the failure would print a megabyte.
      expect(file.text === shown.text).toBe(true);
      expect((JSON.parse(file.text) as unknown[]).length).toBe(1_111);
    }
  });

  it('is exported up to the limit, and refused beyond it with what to do', async () => {
    const whole = await bytesOf(exportFlows, { org: large });
    expect(whole.text.split('\r\n')).toHaveLength(EXPORT_MAX + 2);
    await api.call(putFlow, { params: { org: large.name }, key: large.keys.admin, body: { name: 'one-more' } });
    expect(await api.call(exportFlows, { params: { org: large.name }, key: large.keys.reader })).toMatchObject({
      status: 400,
      body: {
        message: 'More than 50,000 flows match, and an export contains at most 50,000. Narrow the filters',
        errors: null,
      },
    });
    const params = { org: large.name, flow_name: 'flow-1' };
    expect(await api.call(exportFlowTrails, { params, key: large.keys.reader })).toMatchObject({
      status: 400,
      body: { message: 'More than 10,000 trails match, and an export contains at most 10,000. Narrow the filters' },
    });
  });
});

it('an org has three exports at a time, and what ends makes room', async () => {
  const taken = [1, 2, 3].map(() => api.app.exports.take(api.org.id));
  expect(await api.call(exportFlows)).toMatchObject({
    status: 429,
    body: { message: 'This org already has 3 exports running. Wait until one has ended' },
    headers: { 'retry-after': '5' },
  });
  expect((await bytesOf(exportFlows, { org: other })).status).toBe(200);
  taken[0]?.();
  taken[0]?.();
  // Each of these gives its place back: when it was sent, and when it was refused.
  for (let i = 0; i < 3; i++) {
    expect((await bytesOf(exportFlows)).status).toBe(200);
    expect((await bytesOf(exportFlows, { query: { tag: 'x'.repeat(601) } })).status).toBe(400);
    expect((await bytesOf(exportSnapshots, { params: { env_name: 'nowhere' } })).status).toBe(404);
  }
  for (const leave of taken) leave();
});
