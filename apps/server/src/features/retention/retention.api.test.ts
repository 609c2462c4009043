import { getRetention, putRetention, type RecordType, roles } from '@waymark/contract';
import { beforeEach, expect, it } from 'vitest';
import { startApi, type TestOrg } from '../../../test/harness.ts';

const api = await startApi();
let count = 0;
let org: TestOrg;
beforeEach(async () => {
  org = await api.givenOrg(`kept-${++count}`);
});

type Years = Partial<Record<RecordType, number>>;

const put = (minimum_years: Years, key = org.keys.admin) =>
  api.call(putRetention, { params: { org: org.name }, key, body: { minimum_years } });
const read = async (of = org) =>
  (await api.call(getRetention, { params: { org: of.name }, key: of.keys.reader })).body.record_types;
const ruleOf = async (type: RecordType) => (await read()).find(({ record_type }) => record_type === type);
const changes = async () => (await api.journal(org)).filter(({ type }) => type === 'retention.changed');
const pass = (days: number) => {
  api.clock.now = new Date(api.clock.now.getTime() + days * 24 * 3_600_000);
};
const now = () => api.clock.now.getTime() / 1000;

it('is no minimum until it is set, and each change is recorded', async () => {
  const other = await api.givenOrg(`kept-beside-${count}`);
  const unset = { minimum_years: 0, set_at: null, set_by: null, earlier_minimums: [] };
  expect(await read()).toEqual(
    ['attestations', 'trails', 'environments', 'people', 'settings'].map((record_type) => ({ record_type, ...unset })),
  );
  const answer = await put({ attestations: 7, people: 1 });
  expect(answer.status).toBe(200);
  expect(await read()).toEqual(answer.body.record_types);
  const set = { set_at: now(), set_by: `${org.name}-admin`, earlier_minimums: [] };
  expect(await ruleOf('attestations')).toEqual({ record_type: 'attestations', minimum_years: 7, ...set });
  expect(await ruleOf('people')).toMatchObject({ minimum_years: 1 });
  expect(await ruleOf('trails')).toMatchObject(unset);
  const actor = `${org.name}-admin`;
  const type = 'retention.changed';
  expect(await changes()).toEqual([
    { type, subject_seq: 2, actor, payload: { record_type: 'attestations', minimum_years: 7, was: 0 } },
    { type, subject_seq: 3, actor, payload: { record_type: 'people', minimum_years: 1, was: 0 } },
  ]);
  expect((await read(other))[0]).toMatchObject({ minimum_years: 0 });
});

it('keeps what was recorded under a longer minimum when it is lowered', async () => {
  await put({ attestations: 7 });
  pass(10);
  await put({ attestations: 3 });
  const lowered = now();
  expect(await ruleOf('attestations')).toMatchObject({
    minimum_years: 3,
    earlier_minimums: [{ minimum_years: 7, recorded_until: lowered }],
  });
  pass(10);
  await put({ attestations: 1 });
  expect(await ruleOf('attestations')).toMatchObject({
    minimum_years: 1,
    earlier_minimums: [
      { minimum_years: 3, recorded_until: now() },
      { minimum_years: 7, recorded_until: lowered },
    ],
  });
  pass(10);
  await put({ attestations: 10 });
  expect(await ruleOf('attestations')).toMatchObject({ minimum_years: 10, earlier_minimums: [] });
  await put({ attestations: 0 });
  pass(11 * 366);
  expect(await ruleOf('attestations')).toMatchObject({ minimum_years: 0, earlier_minimums: [] });
});

it('records nothing when it is so already, also in a race', async () => {
  await put({ attestations: 0 });
  expect(await changes()).toEqual([]);
  const answers = await Promise.all(Array.from({ length: 8 }, () => put({ attestations: 7 })));
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(await changes()).toHaveLength(1);
});

it('is counted without gaps when different requests race', async () => {
  await Promise.all(Array.from({ length: 8 }, (_, i) => put({ attestations: i % 2 === 0 ? 3 : 5 })));
  const recorded = (await changes()).map(({ payload }) => payload as { minimum_years: number; was: number });
  expect(recorded.map(({ was }) => was)).toEqual([
    0,
    ...recorded.slice(0, -1).map(({ minimum_years }) => minimum_years),
  ]);
});

it('is set by admins of the org alone, and read by every member', async () => {
  const other = await api.givenOrg(`kept-beside-${count}`);
  for (const role of ['reader', 'snapshotter', 'member'] as const) {
    expect(await put({ attestations: 1 }, org.keys[role])).toMatchObject({
      status: 403,
      body: { message: `This requires the admin role; yours is ${role}` },
    });
  }
  expect((await put({ attestations: 1 }, other.keys.admin)).status).toBe(403);
  expect(await changes()).toEqual([]);
  for (const role of roles)
    expect((await api.call(getRetention, { params: { org: org.name }, key: org.keys[role] })).status).toBe(200);
  expect((await api.call(getRetention, { params: { org: org.name }, key: other.keys.admin })).status).toBe(403);
});

it('takes whole years of known record types', async () => {
  for (const [wrong, field] of [
    [{ attestations: -1 }, 'minimum_years.attestations'],
    [{ attestations: 1.5 }, 'minimum_years.attestations'],
    [{ attestations: 101 }, 'minimum_years.attestations'],
    [{ attestations: null }, 'minimum_years.attestations'],
    [{ artifacts: 1 }, 'minimum_years.artifacts'],
    [{}, 'minimum_years'],
  ] as const) {
    const answer = await put(wrong as unknown as Years);
    expect(answer).toMatchObject({ status: 400 });
    expect(Object.keys((answer.body as unknown as { errors: object }).errors)[0]).toBe(field);
  }
});
