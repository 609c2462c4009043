import { archiveEnvironment, type Environment, joinEnvironment, listEnvironments } from '@waymark/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { givenEnvironment, givenHeartbeat } from '../../../test/given/environments.ts';
import { type Answer, startApi } from '../../../test/harness.ts';

const api = await startApi();
const MINUTE = 60_000;

type Query = Record<string, string | string[]>;

const list = (query: Query) =>
  api.call(listEnvironments, { params: { org: api.org.name }, key: api.org.keys.reader, query });

/** Minutes since the last report; null when there was none. */
const given = [
  ['failing', 'non-compliant', 1],
  ['failing-stale', 'non-compliant', 600],
  ['passing', 'compliant', 1],
  ['passing-stale', 'compliant', 600],
  ['unheard', 'unknown', null],
  ['unsure', 'unknown', 1],
  ['unsure-stale', 'unknown', 600],
  ['gone', 'non-compliant', 600],
] as const;

const wholes = {
  'whole-failing': ['failing', 'passing'],
  'whole-passing': ['passing'],
  'whole-failing-stale': ['passing', 'failing-stale'],
  'whole-stale': ['passing', 'passing-stale'],
  'whole-unsure': ['passing', 'unheard'],
  'whole-of-gone': ['gone'],
  'whole-empty': [],
};

beforeAll(async () => {
  for (const [name, compliance, minutes] of given) {
    await givenEnvironment(api, name, 'server', { expected_report_interval_s: 600 });
    await api.db
      .updateTable('environment')
      .set({ compliance })
      .where('org_id', '=', api.org.id)
      .where('name', '=', name)
      .execute();
    if (minutes !== null) await givenHeartbeat(api, name, new Date(api.clock.now.getTime() - minutes * MINUTE));
  }
  for (const [whole, parts] of Object.entries(wholes)) {
    await givenEnvironment(api, whole, 'logical');
    for (const physical_env_name of parts)
      await api.call(joinEnvironment, { params: { env_name: whole }, body: { physical_env_name } });
  }
  await api.call(archiveEnvironment, { params: { env_name: 'gone' } });
});

describe('listing environments by their current state', () => {
  it.each<[Query, string[]]>([
    [{ compliance: 'non-compliant' }, ['failing', 'failing-stale', 'whole-failing', 'whole-failing-stale']],
    [{ compliance: 'compliant' }, ['passing', 'whole-passing']],
    [
      { compliance: 'unknown' },
      [
        ...['passing-stale', 'unheard', 'unsure', 'unsure-stale'],
        ...['whole-empty', 'whole-of-gone', 'whole-stale', 'whole-unsure'],
      ],
    ],
    [
      { compliance: ['unknown', 'non-compliant'], name: 'FAIL' },
      ['failing', 'failing-stale', 'whole-failing', 'whole-failing-stale'],
    ],
    [{ stale: 'true' }, ['failing-stale', 'passing-stale', 'unsure-stale', 'whole-failing-stale', 'whole-stale']],
    [{ stale: 'true', compliance: 'compliant' }, []],
    [{ stale: 'true', compliance: 'unknown' }, ['passing-stale', 'unsure-stale', 'whole-stale']],
    [{ stale: 'true', compliance: 'non-compliant' }, ['failing-stale', 'whole-failing-stale']],
    [{ stale: 'false', type: 'server' }, ['failing', 'passing', 'unheard', 'unsure']],
    [
      { stale: 'false', type: 'logical' },
      ['whole-empty', 'whole-failing', 'whole-of-gone', 'whole-passing', 'whole-unsure'],
    ],
  ])('with %j finds %j', async (query, found) => {
    const { body } = (await list(query)) as Answer<Environment[]>;
    expect(body.map(({ name }) => name)).toEqual(found);
    expect((await list({ ...query, page: '1', per_page: '1' })).body).toMatchObject({ total_count: found.length });
    for (const { compliance, stale } of body) {
      if (query['compliance'] !== undefined) expect([query['compliance']].flat()).toContain(compliance);
      if (query['stale'] !== undefined) expect(String(stale)).toBe(query['stale']);
    }
  });

  it('shows the current state beside that of the latest snapshot', async () => {
    const { body } = (await list({})) as Answer<Environment[]>;
    const shown = Object.fromEntries(
      body.map(({ name, compliance, state, stale }) => [name, [compliance, state, stale]]),
    );
    expect(shown).toMatchObject({
      passing: ['compliant', true, false],
      'passing-stale': ['unknown', true, true],
      failing: ['non-compliant', false, false],
      'failing-stale': ['non-compliant', false, true],
      unheard: ['unknown', null, false],
      unsure: ['unknown', null, false],
      'unsure-stale': ['unknown', null, true],
      'whole-stale': ['unknown', true, true],
      'whole-failing-stale': ['non-compliant', false, true],
    });
  });

  it.each([
    [{ compliance: 'green' }, { 'query.compliance': 'must be one of compliant, non-compliant, unknown' }],
    [{ stale: 'maybe' }, { 'query.stale': 'must be one of true, false' }],
  ])('refuses %j', async (query, errors) => {
    expect(await list(query)).toMatchObject({ status: 400, body: { errors } });
  });
});
