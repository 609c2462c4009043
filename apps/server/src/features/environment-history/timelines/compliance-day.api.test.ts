import { type ComplianceDays, detachPolicies, listComplianceDays, renameEnvironment } from '@waymark/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { DAY_ONE, givenDayAndAHalf, givenFailing, startStory } from '../../../../test/given/day-and-a-half.ts';
import { givenEnvironment } from '../../../../test/given/environments.ts';
import { type Answer, startApi } from '../../../../test/harness.ts';

const api = await startApi();
const story = startStory(api);

const hour = (hours: number) => DAY_ONE / 1000 + hours * 3_600;

function ask(query: Record<string, string | string[]>) {
  return api.call(listComplianceDays, { key: api.org.keys.reader, query });
}

async function daysOf(query: Record<string, string | string[]>): Promise<ComplianceDays> {
  const answer = (await ask(query)) as Answer<ComplianceDays>;
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

/** In hours. */
const day = (compliant: number, nonCompliant: number, unknown: number, noData: number, more: object = {}) => ({
  compliant: compliant * 3_600,
  non_compliant: nonCompliant * 3_600,
  unknown: unknown * 3_600,
  no_data: noData * 3_600,
  waived: false,
  snapshots: 0,
  ...more,
});

beforeAll(() => givenDayAndAHalf(api, story, 'prod'));

describe('the days of environments', () => {
  it('have the hours in each state', async () => {
    story.at(36);
    expect(await daysOf({ days: '3' })).toEqual({
      from: hour(-24),
      to: hour(48),
      days: [hour(-24), hour(0), hour(24)],
      page: 1,
      per_page: 20,
      total_count: 1,
      environments: [
        {
          name: 'prod',
          type: 'server',
          days: [
            // Nothing counts before the first report, which arrived at noon of the second day.
            day(0, 0, 0, 0),
            day(6, 4, 0, 2, { waived: true, snapshots: 3 }),
            day(6, 2, 0, 4, { waived: true, snapshots: 3 }),
          ],
        },
      ],
    });
  });

  it('are thirty by default, and as many as requested', async () => {
    story.at(36);
    const { days, environments } = await daysOf({});
    expect([days.length, environments[0]?.days.length, days.at(-1)]).toEqual([30, 30, hour(24)]);
    const longest = await daysOf({ days: '400' });
    expect([longest.days.length, longest.days[0]]).toEqual([400, hour(24 - 399 * 24)]);
    expect(longest.environments[0]?.days.slice(-2)).toEqual(environments[0]?.days.slice(-2));
  });

  it('end with the requested day, which counts as a whole', async () => {
    story.at(36);
    const until = async (hours: number) =>
      (await daysOf({ days: '1', until: String(hour(hours)) })).environments[0]?.days;
    expect(await until(1)).toEqual([day(6, 4, 0, 2, { waived: true, snapshots: 3 })]);
    expect(await until(23.99)).toEqual(await until(0));
    expect(await until(1_000)).toEqual([day(6, 2, 0, 4, { waived: true, snapshots: 3 })]);
  });

  it('count an open stale period, and time without policies', async () => {
    story.at(37);
    await api.call(detachPolicies, { params: { env_name: 'prod' }, body: { policy_names: ['traced'] } });
    story.at(48 + 12);
    const { environments } = await daysOf({ days: '2' });
    expect(environments[0]?.days).toEqual([
      // Compliant from 28 to 30 and from 32 to 37, and unknown while it was stale from 38 on.
      day(7, 2, 1, 14, { waived: true, snapshots: 4 }),
      day(0, 0, 0, 12),
    ]);
    await story.checkFreshness();
    expect((await daysOf({ days: '2' })).environments).toEqual(environments);
  });

  it('are paged by name, or limited to named environments', async () => {
    story.at(48 + 12);
    for (const name of ['beta', 'alpha', 'gone']) await givenEnvironment(api, name);
    await givenEnvironment(api, 'whole', 'logical', { included_environments: ['prod'] });
    await api.call(renameEnvironment, { params: { env_name: 'gone' }, body: { new_name: 'here' } });
    const names = async (query: Record<string, string | string[]>) => {
      const { total_count, page, per_page, environments } = await daysOf({ days: '1', ...query });
      return [total_count, page, per_page, ...environments.map(({ name }) => name)];
    };
    expect(await names({})).toEqual([4, 1, 20, 'alpha', 'beta', 'here', 'prod']);
    expect(await names({ per_page: '3' })).toEqual([4, 1, 3, 'alpha', 'beta', 'here']);
    expect(await names({ per_page: '3', page: '2' })).toEqual([4, 2, 3, 'prod']);
    expect(await names({ environment: 'prod' })).toEqual([1, 1, 1, 'prod']);
    expect(await names({ environment: ['prod', 'gone', 'whole', 'here', 'alpha'] })).toEqual([
      3,
      1,
      3,
      'prod',
      'here',
      'alpha',
    ]);
    expect(await names({ environment: 'whole' })).toEqual([0, 1, 1]);
  });

  it('are all zero for an environment that never reported', async () => {
    story.at(48 + 12);
    await givenEnvironment(api, 'never-reported');
    const { environments } = await daysOf({ days: '3', environment: 'never-reported' });
    expect(environments[0]?.days).toEqual([day(0, 0, 0, 0), day(0, 0, 0, 0), day(0, 0, 0, 0)]);
  });
});

describe('days are refused', () => {
  it.each([
    [{ days: '0' }, 'query.days'],
    [{ days: '401' }, 'query.days'],
    [{ until: 'x' }, 'query.until'],
    [{ per_page: '51' }, 'query.per_page'],
    [{ environment: 'a b' }, 'query.environment'],
    [{ environment: Array.from({ length: 51 }, (_, i) => `e${i}`) }, 'query.environment'],
  ])('for %j', async (query, field) => {
    const { status, body } = await ask(query as Record<string, string>);
    expect([status, body]).toEqual([400, expect.objectContaining({ errors: { [field]: expect.any(String) } })]);
  });

  it('for an environment that does not exist, and without permission', async () => {
    const { status, body } = await ask({ environment: ['prod', 'nowhere'] });
    expect([status, body]).toEqual([
      404,
      expect.objectContaining({ message: "Environment 'nowhere' does not exist in this org" }),
    ]);
    const other = await api.givenOrg('others');
    expect((await api.call(listComplianceDays, { key: other.keys.admin })).status).toBe(403);
    expect(
      (await api.call(listComplianceDays, { params: { org: 'others' }, key: other.keys.reader })).body,
    ).toMatchObject({
      total_count: 0,
      environments: [],
    });
  });
});

it('a failure counts until a report ends it, also while the environment is stale', async () => {
  story.at(72);
  await givenFailing(api, 'red');
  story.at(82);
  const { environments } = await daysOf({ days: '1', environment: 'red' });
  expect(environments[0]?.days).toEqual([day(0, 10, 0, 0, { snapshots: 1 })]);
});
