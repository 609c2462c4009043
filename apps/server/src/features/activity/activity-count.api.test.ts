import { countActivity, createServiceAccount, listActors, type Reply } from '@waymark/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../test/given/environments.ts';
import { attest, givenArtifact, givenFlow } from '../../../test/given/evidence.ts';
import { givenPolicy } from '../../../test/given/policies.ts';
import { startApi } from '../../../test/harness.ts';
import { MAX_COUNTED } from './activity-count.reads.ts';

const api = await startApi();
const START = Date.parse('2026-10-01T12:00:00Z') / 1000;
const HOUR = 3_600;
const DAY = 24 * HOUR;
const at = (hours: number) => {
  api.clock.now = new Date((START + hours * HOUR) * 1000);
};
const DAYS = { from: String(START - DAY), to: String(START + 2 * DAY) };

type Query = Record<string, string | string[]>;

async function counts(query: Query = {}, key = api.org.keys.reader): Promise<Reply<typeof countActivity>> {
  const { status, body } = await api.call(countActivity, { query, key });
  expect(status).toBe(200);
  return body;
}

async function actors(query: Query = {}, key = api.org.keys.reader): Promise<string[]> {
  const { status, body } = await api.call(listActors, { query, key });
  expect(status).toBe(200);
  return body.actors.map(({ name }) => name);
}

at(0);
await givenFlow(api, 'shop', 'version: 1\n');
at(1);
await givenArtifact(api, 'shop', 'a', { trail_name: 'one' });
await attest(api, 'shop', 'one', { attestation_name: 'tests', is_compliant: false });
at(24);
await givenEnvironment(api, 'prod');
await givenPolicy(api, 'baseline');
await api.call(createServiceAccount, { body: { name: 'ci', privilege: 'member' } });

describe('a count of the activity', () => {
  it('has each day of the period, also those without entries', async () => {
    const midnight = START - DAY / 2;
    expect(await counts(DAYS)).toEqual({
      from: START - DAY,
      to: START + 2 * DAY,
      interval: 'day',
      total: 7,
      counted_from: null,
      buckets: [
        { start: midnight - DAY, entries: 0 },
        { start: midnight, entries: 4 },
        { start: midnight + DAY, entries: 3 },
        { start: midnight + 2 * DAY, entries: 0 },
      ],
    });
  });

  it('has hours or weeks on request', async () => {
    const hours = await counts({ from: String(START), to: String(START + 2 * HOUR), interval: 'hour' });
    expect(hours.buckets.map(({ entries }) => entries)).toEqual([1, 3, 0]);
    const weeks = await counts({ ...DAYS, interval: 'week' });
    expect(weeks.buckets).toEqual([{ start: Date.parse('2026-09-28T00:00:00Z') / 1000, entries: 7 }]);
  });

  it('covers the last 30 days by default', async () => {
    const { from, to, buckets, total } = await counts();
    expect([to - from, buckets.length, total]).toEqual([30 * DAY, 31, 7]);
  });

  it('counts what the list with the same filter has', async () => {
    const totalOf = async (query: Query, key?: string) => (await counts({ ...DAYS, ...query }, key)).total;
    expect(await totalOf({ type: 'policy' })).toBe(2);
    expect(await totalOf({ type: 'policy.versioned.v2' })).toBe(0);
    expect(await totalOf({ type: ['flow', 'trail'] })).toBe(2);
    expect(await totalOf({ actor: 'member' })).toBe(2);
    expect(await totalOf({ actor: 'memb' })).toBe(0);
    expect(await totalOf({ subject_kind: 'environment' })).toBe(1);
    expect(await totalOf({ type: 'service_account' })).toBe(0);
    expect(await totalOf({ type: 'service_account' }, api.org.keys.admin)).toBe(1);
  });

  it('says how far back the newest go if there are too many', async () => {
    const org = await api.givenOrg('busy');
    const call = () => api.call(countActivity, { params: { org: 'busy' }, key: org.keys.reader });
    const add = (count: number, hoursAgo: number) =>
      sql`
      insert into journal (org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind, subject_id,
        subject_seq, payload, nonce, payload_digest)
      select ${org.id}, gen_random_uuid(), ${new Date((START + (24 - hoursAgo) * HOUR) * 1000)}, 'trail.begun', 1,
        'system', 'ci', 'trail', gen_random_uuid(), 1, '{}', decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex')
      from generate_series(1, ${count}::int)`.execute(api.db);
    await sql`delete from journal where org_id = ${org.id}`.execute(api.owner);
    await add(1, 48);
    await add(MAX_COUNTED - 1, 2);
    expect((await call()).body).toMatchObject({ total: MAX_COUNTED, counted_from: null });
    await add(1, 1);
    expect((await call()).body).toMatchObject({ total: MAX_COUNTED, counted_from: START + 22 * HOUR });
  });

  it.each([
    ['from', { from: '20', to: '10' }],
    ['from', { from: '0', to: String(START) }],
    ['from', { from: String(START), to: String(START + 17 * DAY), interval: 'hour' }],
    ['interval', { interval: 'minute' }],
    ['type', { type: 'nonsense' }],
    ['per_page', { per_page: '3' }],
  ])('is refused with the name of %s', async (field, query) => {
    const { status, body } = await api.call(countActivity, { query });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(field);
  });
});

describe('the actors', () => {
  it('are listed, the most recent first', async () => {
    expect(await actors()).toEqual(['member', 'acme-admin', 'tests']);
    expect(await actors({ limit: '1' })).toEqual(['member']);
  });

  it('are found by a part of the name, in any case', async () => {
    expect(await actors({ name: 'ADMIN' })).toEqual(['acme-admin']);
    expect(await actors({ name: '%' })).toEqual([]);
  });

  it('leave out those who only did what only admins see', async () => {
    const org = await api.givenOrg('secretive');
    await sql`
      insert into journal (org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind, subject_id,
        subject_seq, payload, nonce, payload_digest)
      values (${org.id}, gen_random_uuid(), now(), 'membership.removed', 1, 'user', 'hidden', 'membership',
        gen_random_uuid(), 1, '{}', decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex'))`.execute(api.db);
    const of = async (key: string) =>
      (await api.call(listActors, { params: { org: 'secretive' }, query: { name: 'hid' }, key })).body.actors;
    expect(await of(org.keys.reader)).toEqual([]);
    expect(await of(org.keys.admin)).toMatchObject([{ name: 'hidden' }]);
  });

  it('of another org are not visible', async () => {
    const other = await api.givenOrg('other');
    for (const operation of [listActors, countActivity]) {
      expect(await api.call(operation, { key: other.keys.admin })).toMatchObject({ status: 403 });
    }
  });
});
