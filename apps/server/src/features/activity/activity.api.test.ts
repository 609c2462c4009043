import {
  type Activity,
  archiveFlow,
  createServiceAccount,
  listActivity,
  type Reply,
  renameFlow,
} from '@waymark/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../test/given/environments.ts';
import { attest, fingerprint, givenArtifact, givenFlow } from '../../../test/given/evidence.ts';
import { givenAttached, givenPolicy } from '../../../test/given/policies.ts';
import { givenRunning } from '../../../test/given/runs.ts';
import { startApi } from '../../../test/harness.ts';
import { MAX_SCANNED } from './activity.reads.ts';

const api = await startApi();
const START = Date.parse('2026-10-01T12:00:00Z');
const at = (hours: number) => {
  api.clock.now = new Date(START + hours * 3_600_000);
};
const seconds = (hours: number) => String(START / 1000 + hours * 3600);

/** The org itself is made by the clock of the machine. */
const WHILE = { from: seconds(0), to: seconds(3) };

type Query = Record<string, string | string[]>;

async function page(query: Query = {}, key = api.org.keys.reader): Promise<Reply<typeof listActivity>> {
  const { status, body } = await api.call(listActivity, { query, key });
  expect(status).toBe(200);
  return body;
}

/** Reads all pages, as a client does with a filter that matches little. */
async function all(query: Query = {}, key = api.org.keys.reader): Promise<Activity[]> {
  const found: Activity[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const { data, pagination } = await page({ ...query, ...(after !== undefined && { after }) }, key);
    found.push(...data);
    after = pagination.next;
  }
  return found;
}

const textsOf = (entries: readonly Activity[]) => entries.map(({ text }) => text);

at(0);
await givenFlow(api, 'shop', 'version: 1\n');
at(1);
await givenArtifact(api, 'shop', 'a', { trail_name: 'one' });
await attest(api, 'shop', 'one', { attestation_name: 'tests', is_compliant: false });
at(2);
await givenEnvironment(api, 'prod');
await givenPolicy(api, 'baseline');
await givenPolicy(api, 'prod-release');
await givenAttached(api, 'prod', ['baseline', 'prod-release']);
at(3);
await givenRunning(api, 'prod', { web: 'a' });
await api.call(createServiceAccount, { body: { name: 'ci', privilege: 'member' } });
await api.call(renameFlow, { params: { flow_name: 'shop' }, body: { new_name: 'store' } });
await api.call(archiveFlow, { params: { flow_name: 'store' } });

describe('activity of an org', () => {
  it('is summarized, newest first', async () => {
    expect(textsOf(await all(WHILE))).toEqual([
      'acme-admin archived flow store',
      'acme-admin renamed flow shop to store',
      'Snapshot 1 of prod was created, started: web, now compliant',
      'member attached policy baseline, prod-release to prod',
      'member created version 1 of policy prod-release',
      'member created policy prod-release',
      'member created version 1 of policy baseline',
      'member created policy baseline',
      'acme-admin created environment prod of type server',
      'acme-admin attested tests (generic), non-compliant, in trail one of flow shop',
      'acme-admin reported artifact app-a.tgz (aaaaaaaaaaaa) in trail one of flow shop',
      'acme-admin created trail one in flow shop',
      'acme-admin created flow shop',
    ]);
  });

  it('names its subject and links to it', async () => {
    const [archived, renamed, snapshot, attached, versioned] = await all({ ...WHILE, from: seconds(2) });
    expect(archived).toMatchObject({
      type: 'flow.archived',
      subject: { kind: 'flow', name: 'store' },
      html_path: null,
    });
    expect(renamed).toMatchObject({ html_path: '/acme/flows/store', recorded_at: Number(seconds(3)) });
    expect(snapshot).toMatchObject({ html_path: '/acme/environments/prod/snapshots/1', actor: 'snapshotter' });
    expect(attached).toMatchObject({
      subject: { kind: 'environment', name: 'prod' },
      html_path: '/acme/environments/prod/policies',
    });
    expect(versioned).toMatchObject({ html_path: '/acme/policies/prod-release?version=1' });
    const [attestation, artifact] = await all({ from: seconds(1), to: seconds(1) });
    expect(attestation?.html_path).toBe(`/acme/flows/shop/trails/one?attestation_id=${attestation?.subject.id}`);
    expect(artifact?.html_path).toBe(
      `/acme/flows/shop/artifacts/${fingerprint('a')}?artifact_id=${artifact?.subject.id}`,
    );
  });

  it('about members, accounts and keys is for admins', async () => {
    const hidden = /^(membership|service_account|api_key)\./;
    const typesFor = async (key: string) => (await all({}, key)).map(({ type }) => type);
    expect((await typesFor(api.org.keys.admin)).some((type) => hidden.test(type))).toBe(true);
    for (const role of ['reader', 'snapshotter', 'member'] as const) {
      expect((await typesFor(api.org.keys[role])).filter((type) => hidden.test(type))).toEqual([]);
    }
    expect(await all({ type: 'service_account' })).toEqual([]);
    expect(textsOf(await all({ ...WHILE, type: 'service_account' }, api.org.keys.admin))).toEqual([
      'acme-admin created service account ci with the role member',
    ]);
  });

  it('is filtered by actor, type, time and kind of subject', async () => {
    const typesOf = async (query: Query) => (await all({ ...WHILE, ...query })).map(({ type }) => type);
    expect(await typesOf({ actor: 'snapshotter' })).toEqual(['snapshot.recorded']);
    expect(await typesOf({ actor: 'snap' })).toEqual([]);
    expect(await typesOf({ type: 'policy.versioned' })).toEqual(['policy.versioned', 'policy.versioned']);
    expect(await typesOf({ type: 'policy.versioned.v1' })).toEqual(['policy.versioned', 'policy.versioned']);
    expect(await typesOf({ type: 'policy.versioned.v2' })).toEqual([]);
    expect(await typesOf({ type: 'attestation.recorded.v4' })).toEqual(['attestation.recorded']);
    expect(await typesOf({ type: ['flow', 'trail'] })).toEqual([
      'flow.archived',
      'flow.renamed',
      'trail.begun',
      'flow.created',
    ]);
    expect(await typesOf({ from: seconds(1), to: seconds(1) })).toEqual([
      'attestation.recorded',
      'artifact.reported',
      'trail.begun',
    ]);
    expect(await typesOf({ subject_kind: 'environment' })).toEqual([
      'snapshot.recorded',
      'policy.attached',
      'environment.created',
    ]);
    expect(await typesOf({ subject_kind: 'flow', type: 'flow.renamed' })).toEqual(['flow.renamed']);
    expect(await typesOf({ subject_kind: 'artifact' })).toEqual(['artifact.reported']);
  });

  it('comes in pages that do not overlap', async () => {
    const whole = await page({ per_page: '100' });
    expect(whole.pagination.next).toBeNull();
    const parts = await all({ per_page: '3' });
    expect(parts).toEqual(whole.data);
    expect(new Set(parts.map(({ id }) => id)).size).toBe(parts.length);
    const filtered = await all({ per_page: '1', type: ['policy', 'snapshot'] });
    expect(filtered).toEqual(whole.data.filter(({ type }) => /^(policy|snapshot)\./.test(type)));
  });

  it('still includes an entry that was erased', async () => {
    const org = await api.givenOrg('erased');
    await sql`update journal set payload = null, nonce = null, actor_digest = sha256('') where org_id = ${org.id} and type = 'org.created'`.execute(
      api.db,
    );
    const { body } = await api.call(listActivity, {
      params: { org: 'erased' },
      query: { type: 'org' },
      key: org.keys.reader,
    });
    expect(body.data).toMatchObject([
      { text: 'tests recorded org.created; its content was erased', subject: { name: null }, html_path: null },
    ]);
  });

  it('finds a rare entry among very many by following the cursor', async () => {
    const org = await api.givenOrg('busy');
    await sql`
      insert into journal (org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind, subject_id,
        subject_seq, payload, nonce, payload_digest)
      select ${org.id}, gen_random_uuid(), now(), 'trail.begun', 1, 'system', 'ci', 'trail', gen_random_uuid(), 1,
        '{}', decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex')
      from generate_series(1, ${MAX_SCANNED}::int)`.execute(api.db);
    const call = (query: Query) => api.call(listActivity, { params: { org: 'busy' }, query, key: org.keys.reader });
    const first = await call({ actor: 'tests' });
    expect(first.body).toMatchObject({ data: [], pagination: { next: expect.any(String) } });
    const second = await call({ actor: 'tests', after: first.body.pagination.next ?? '' });
    expect(second.body).toMatchObject({ data: [{ type: 'org.created' }], pagination: { next: null } });
    // Entries by people are found at once, past all of these.
    expect((await call({ type: 'org' })).body).toMatchObject({ data: [{ type: 'org.created' }] });
    expect((await call({ subject_kind: 'org' })).body).toMatchObject({ data: [{ type: 'org.created' }] });
    // A payload without usable fields does not break the list.
    expect((await call({ per_page: '1' })).body.data).toMatchObject([{ text: 'ci recorded trail.begun' }]);
  });
});

describe('a query that cannot be answered', () => {
  it.each([
    ['type', 'nonsense'],
    ['type', 'policy.nonsense'],
    ['type', 'Policy!'],
    ['from', 'yesterday'],
    ['to', '99999999999999'],
    ['subject_kind', 'A flow'],
    ['per_page', '101'],
    ['after', 'nowhere'],
    ['after', '!'],
    ['page', '2'],
  ])('%s=%s is refused by name', async (field, value) => {
    const answer = await api.call(listActivity, { query: { [field]: value } });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(field);
  });

  it('is refused without the permission', async () => {
    const other = await api.givenOrg('other');
    expect(await api.call(listActivity, { key: other.keys.admin })).toMatchObject({ status: 403 });
  });
});
