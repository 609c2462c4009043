import {
  attestGeneric,
  type HeldSubject,
  liftLegalHold,
  listLegalHolds,
  placeLegalHold,
  roles,
} from '@waymark/contract';
import { beforeEach, expect, it } from 'vitest';
import { givenEnvironment } from '../../../test/given/environments.ts';
import { fingerprint } from '../../../test/given/evidence.ts';
import { startApi, type TestOrg } from '../../../test/harness.ts';

const api = await startApi();
let count = 0;
let org: TestOrg;
beforeEach(async () => {
  org = await api.givenOrg(`held-${++count}`);
});

const ORG = { kind: 'org' } as HeldSubject;
const place = (name = 'Case 1', subject = ORG, reason = 'A claim', key = org.keys.admin) =>
  api.call(placeLegalHold, { params: { org: org.name }, key, body: { name, reason, subject } });
const lift = (hold_id: string, reason = 'Closed', key = org.keys.admin) =>
  api.call(liftLegalHold, { params: { org: org.name, hold_id }, key, body: { reason } });
const list = async (query = {}, key = org.keys.reader) =>
  api.call(listLegalHolds, { params: { org: org.name }, query, key });
const entries = async () => (await api.journal(org)).filter(({ type }) => type.startsWith('legal_hold.'));
const givenTrail = (flow_name: string, trail_name: string) =>
  api.call(attestGeneric, {
    params: { org: org.name, flow_name, trail_name },
    key: org.keys.admin,
    body: { attestation_name: 'x', is_compliant: true },
  });
const NOBODY = '01a1dcbd-b399-7861-b63d-0f0927550600';

it('is placed with its name and reason, listed, and lifted, with an entry for each', async () => {
  const placed = await place();
  const hold = {
    id: expect.any(String) as string,
    name: 'Case 1',
    reason: 'A claim',
    kind: 'org',
    env_name: null,
    flow_name: null,
    trail_name: null,
    artifact_fingerprint: null,
    placed_at: api.clock.now.getTime() / 1000,
    placed_by: `${org.name}-admin`,
    lifted_at: null,
    lifted_by: null,
    lift_reason: null,
  };
  expect(placed).toMatchObject({ status: 201, body: hold });
  expect((await list()).body).toEqual([placed.body]);
  api.clock.now = new Date(api.clock.now.getTime() + 1000);
  const lifted = {
    ...placed.body,
    lifted_at: api.clock.now.getTime() / 1000,
    lifted_by: `${org.name}-admin`,
    lift_reason: 'Closed',
  };
  expect(await lift(placed.body.id)).toMatchObject({ status: 200, body: lifted });
  expect(await lift(placed.body.id, 'Closed again')).toMatchObject({ status: 200, body: lifted });
  expect((await list()).body).toEqual([]);
  expect((await list({ lifted: 'true' })).body).toEqual([lifted]);
  const actor = `${org.name}-admin`;
  const payload = { kind: 'org', name: 'Case 1', reason: 'A claim' };
  expect(await entries()).toEqual([
    { type: 'legal_hold.placed', subject_seq: 1, actor, payload },
    { type: 'legal_hold.lifted', subject_seq: 2, actor, payload: { ...payload, lift_reason: 'Closed' } },
  ]);
});

it('is about a trail, an artifact, or an environment, by its current name', async () => {
  await givenTrail('shop', 'build-7');
  await givenEnvironment(api, 'prod', 'server', {}, org);
  const trail = await place('a', { kind: 'trail', flow_name: 'shop', trail_name: 'build-7' });
  expect(trail).toMatchObject({ status: 201, body: { kind: 'trail', flow_name: 'shop', trail_name: 'build-7' } });
  const artifact = await place('b', { kind: 'artifact', artifact_fingerprint: fingerprint('a') });
  expect(artifact).toMatchObject({ status: 201, body: { kind: 'artifact', artifact_fingerprint: fingerprint('a') } });
  const environment = await place('c', { kind: 'environment', env_name: 'prod' });
  expect(environment).toMatchObject({ status: 201, body: { kind: 'environment', env_name: 'prod' } });
  expect((await list()).body.map(({ name }) => name).sort()).toEqual(['a', 'b', 'c']);
  expect((await entries()).map(({ payload }) => payload)).toMatchObject([
    { trail: { flow: 'shop', name: 'build-7' } },
    { fingerprint: fingerprint('a') },
    { environment: { name: 'prod' } },
  ]);
});

it('is refused for what does not exist, and for a logical environment', async () => {
  await givenTrail('shop', 'build-7');
  await givenEnvironment(api, 'all', 'logical', {}, org);
  expect(await place('a', { kind: 'trail', flow_name: 'none', trail_name: 't' })).toMatchObject({
    status: 404,
    body: { message: "Flow 'none' does not exist in this org" },
  });
  expect(await place('a', { kind: 'trail', flow_name: 'shop', trail_name: 't' })).toMatchObject({
    status: 404,
    body: { message: "Trail 't' does not exist in this org" },
  });
  expect((await place('a', { kind: 'environment', env_name: 'none' })).status).toBe(404);
  expect(await place('a', { kind: 'environment', env_name: 'all' })).toMatchObject({
    status: 400,
    body: { errors: { 'subject.env_name': 'is logical: place the hold on its members' } },
  });
  for (const wrong of [{ kind: 'flow' }, { kind: 'trail' }, { kind: 'artifact', artifact_fingerprint: 'a' }])
    expect((await place('a', wrong as unknown as HeldSubject)).status).toBe(400);
  for (const blank of ['', '  ']) {
    expect((await place(blank)).status).toBe(400);
    expect((await place('a', ORG, blank)).status).toBe(400);
  }
  expect(await entries()).toEqual([]);
});

it('is placed once, however often it is requested at the same time', async () => {
  const placed = await Promise.all(Array.from({ length: 8 }, () => place()));
  expect(placed.map(({ status }) => status)).toEqual(Array(8).fill(201));
  expect(new Set(placed.map(({ body }) => body.id)).size).toBe(1);
  const other = await place('Case 1', { kind: 'artifact', artifact_fingerprint: fingerprint('a') });
  expect(other).toMatchObject({
    status: 409,
    body: { message: "A legal hold named 'Case 1' is already in place. Choose another name" },
  });
  expect((await place('Case 1', ORG, 'Another reason')).status).toBe(409);
  const id = placed[0]?.body.id ?? '';
  const lifted = await Promise.all(Array.from({ length: 8 }, () => lift(id)));
  expect(lifted.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect((await place()).body.id).not.toBe(id);
  expect((await entries()).map(({ type }) => type)).toEqual([
    'legal_hold.placed',
    'legal_hold.lifted',
    'legal_hold.placed',
  ]);
});

it('is placed and lifted by admins of the org alone, and listed for every member', async () => {
  const other = await api.givenOrg(`held-beside-${count}`);
  const { id } = (await place()).body;
  for (const role of ['reader', 'snapshotter', 'member'] as const) {
    const refused = { status: 403, body: { message: `This requires the admin role; yours is ${role}` } };
    expect(await place('b', ORG, 'r', org.keys[role])).toMatchObject(refused);
    expect(await lift(id, 'r', org.keys[role])).toMatchObject(refused);
  }
  expect((await place('b', ORG, 'r', other.keys.admin)).status).toBe(403);
  expect((await lift(id, 'r', other.keys.admin)).status).toBe(403);
  const elsewhere = { params: { org: other.name, hold_id: id }, key: other.keys.admin, body: { reason: 'r' } };
  expect((await api.call(liftLegalHold, elsewhere)).status).toBe(404);
  expect((await lift(NOBODY)).body).toMatchObject({ message: `Legal hold '${NOBODY}' does not exist in this org` });
  for (const role of roles) expect((await list({}, org.keys[role])).status).toBe(200);
  expect((await list({}, other.keys.admin)).status).toBe(403);
  expect(await entries()).toHaveLength(1);
});

it('is listed in pages', async () => {
  await api.db
    .insertInto('legal_hold')
    .values(
      Array.from({ length: 501 }, (_, i) => ({
        org_id: org.id,
        id: `01a1dcbd-b399-7861-b63d-${String(i).padStart(12, '0')}`,
        name: `Case ${i}`,
        reason: 'r',
        subject_kind: 'org' as const,
        placed_at: new Date(Date.UTC(2026, 0, 1 + (i % 3))),
        placed_by: 'ada',
      })),
    )
    .execute();
  const first = await list();
  expect(first.body).toHaveLength(500);
  const next = new URL(/<(.*)>/.exec(String(first.headers['link']))?.[1] ?? '').searchParams.get('after');
  const rest = (await list({ after: next })).body;
  expect(new Set([...first.body, ...rest].map(({ id }) => id)).size).toBe(501);
  expect((await list({ after: 'x' })).status).toBe(400);
});
