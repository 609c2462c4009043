import {
  allowArtifact,
  attestGeneric,
  attestOverride,
  getOrganization,
  putFlow,
  putWaiverRules,
} from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../test/given/environments.ts';
import { fingerprint } from '../../../test/given/evidence.ts';
import { startApi, type TestOrg } from '../../../test/harness.ts';

const api = await startApi();
const DAY = 86_400;
let org: TestOrg;
let count = 0;
beforeEach(async () => {
  org = await api.givenOrg(`strict-${++count}`);
});

const put = (waiver_max_days: unknown, reason_min_length: unknown, key = org.keys.admin, into = org) =>
  api.call(putWaiverRules, {
    params: { org: into.name },
    key,
    body: { waiver_max_days, reason_min_length } as never,
  });
const read = async (of = org) => {
  const { body } = await api.call(getOrganization, { params: { org: of.name }, key: of.keys.reader });
  return [body.waiver_max_days, body.reason_min_length];
};
const changes = async (of = org) =>
  (await api.journal(of)).flatMap(({ type, payload }) => (type === 'org.waiver_rules_changed' ? [payload] : []));

describe('the rules', () => {
  it('demand nothing until they are set, and each change is recorded', async () => {
    const other = await api.givenOrg(`other-${count}`);
    expect(await read()).toEqual([null, 0]);
    expect(await put(30, 20)).toMatchObject({ status: 200, body: { waiver_max_days: 30, reason_min_length: 20 } });
    expect(await read()).toEqual([30, 20]);
    expect(await put(null, 0)).toMatchObject({ status: 200 });
    expect(await changes()).toEqual([
      { waiver_max_days: 30, reason_min_length: 20 },
      { waiver_max_days: null, reason_min_length: 0 },
    ]);
    expect(await read(other)).toEqual([null, 0]);
  });

  it('are recorded once when they are so already, also in a race', async () => {
    expect((await put(null, 0)).status).toBe(200);
    expect(await changes()).toEqual([]);
    const answers = await Promise.all(Array.from({ length: 12 }, () => put(7, 10)));
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(await changes()).toHaveLength(1);
  });

  it('are set by admins of the org alone', async () => {
    const other = await api.givenOrg(`other-${count}`);
    for (const role of ['reader', 'snapshotter', 'member'] as const) {
      expect((await put(30, 0, org.keys[role])).status).toBe(403);
    }
    expect((await put(30, 0, other.keys.admin)).status).toBe(403);
    expect(await changes()).toEqual([]);
  });

  it.each([
    [0, 0, 'waiver_max_days'],
    [3651, 0, 'waiver_max_days'],
    [1.5, 0, 'waiver_max_days'],
    ['7', 0, 'waiver_max_days'],
    [7, -1, 'reason_min_length'],
    [7, 501, 'reason_min_length'],
    [7, null, 'reason_min_length'],
  ])('refuse %j days and %j characters', async (days, length, field) => {
    expect(await put(days, length)).toMatchObject({ status: 400, body: { errors: { [field]: expect.any(String) } } });
  });
});

describe('a waiver', () => {
  const allow = (days: number | null, description = 'Hotfix for an outage') =>
    api.call(allowArtifact, {
      params: { org: org.name, env_name: 'prod' },
      key: org.keys.member,
      body: {
        ...{ artifact_fingerprint: fingerprint('a'), artifact_name: 'app', description },
        ...(days !== null && { expires_at: Math.floor(api.clock.now.getTime() / 1000) + Math.round(days * DAY) }),
      },
    });
  beforeEach(() => givenEnvironment(api, 'prod', 'server', {}, org));

  it('must expire within the days of the org', async () => {
    await put(7, 0);
    expect(await allow(null)).toMatchObject({
      status: 400,
      body: { errors: { expires_at: 'is required: it must be within 7 days, which this org demands of waivers' } },
    });
    expect(await allow(7.1)).toMatchObject({
      status: 400,
      body: { errors: { expires_at: 'is too late: it must be within 7 days, which this org demands of waivers' } },
    });
    expect((await allow(6.9)).status).toBe(201);
    await put(1, 0);
    expect(await allow(2)).toMatchObject({
      status: 400,
      body: { errors: { expires_at: expect.stringContaining('1 day,') } },
    });
  });

  it('must have a reason as long as the org demands, without spaces around it', async () => {
    await put(null, 10);
    expect(await allow(null, `  short${' '.repeat(20)}`)).toMatchObject({
      status: 400,
      body: { errors: { description: 'must have at least 10 characters, which this org demands of reasons' } },
    });
    expect((await allow(null, '🚑'.repeat(9))).status).toBe(400);
    expect((await allow(null, '🚑'.repeat(10))).status).toBe(201);
  });

  it('that exists stays, and a repeated request for it succeeds', async () => {
    const { body } = await allow(null);
    await put(7, 100);
    expect(await allow(null)).toMatchObject({ status: 201, body: { id: (body as { id: string }).id } });
    expect((await allow(null, 'Another reason')).status).toBe(400);
  });
});

describe('an override', () => {
  const override = (reason: string, headers: Record<string, string> = {}) =>
    api.call(attestOverride, {
      params: { org: org.name, flow_name: 'web', trail_name: 't' },
      key: org.keys.member,
      headers,
      body: { attestation_name: 'check', original_attestation_type: 'generic', new_compliance_status: true, reason },
    });

  it('must have a reason as long as the org demands', async () => {
    const [params, key] = [{ org: org.name }, org.keys.member];
    await api.call(putFlow, { params, key, body: { name: 'web', template: 'version: 1\n' } });
    await api.call(attestGeneric, {
      params: { ...params, flow_name: 'web', trail_name: 't' },
      key,
      body: { attestation_name: 'check', is_compliant: false },
    });
    const headers = { 'waymark-evidence-id': '0190c0de-0000-7000-8000-00000000000a' };
    expect((await override('Flaky', headers)).status).toBe(201);
    await put(null, 10);
    expect(await override('Flaky')).toMatchObject({
      status: 400,
      body: { errors: { reason: 'must have at least 10 characters, which this org demands of reasons' } },
    });
    expect((await override('Flaky on this machine')).status).toBe(201);
    // A retry of what was recorded before.
    expect((await override('Flaky', headers)).status).toBe(201);
  });
});
