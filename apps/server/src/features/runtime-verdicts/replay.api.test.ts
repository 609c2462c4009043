import { patchTags } from '@waymark/contract';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../test/given/environments.ts';
import { attest, fingerprint, givenArtifact, givenFlow } from '../../../test/given/evidence.ts';
import { attestationPolicy, givenAttached, givenPolicy } from '../../../test/given/policies.ts';
import { givenRunning } from '../../../test/given/runs.ts';
import { startApi, type TestOrg } from '../../../test/harness.ts';
import { type Difference, type ReplayOptions, replayDecisions } from './replay.reads.ts';

const api = await startApi();
const other = await api.givenOrg('other');
const found: Difference[] = [];
const replay = (options: ReplayOptions = {}) =>
  replayDecisions(api.db, { ...options, onDifference: (difference) => found.push(difference) });
const what = () => found.map((difference) => difference.what);

/** Everything a context can hold: names, tags, and texts that JSON escapes. */
const READS = attestationPolicy(
  `{ name: tests, type: generic, if: '\${{ environment.tags.10 == "1" or environment.name == "x" }}' }`,
  `{ name: review, type: generic, if: '\${{ matches(artifact.name, "^app") and environment.tags.a.b == "2" }}' }`,
);

async function givenDecisions(org: TestOrg): Promise<void> {
  const names = ['reads', 'tests', 'provenance'];
  await givenPolicy(api, 'reads', READS, org);
  await givenPolicy(api, 'tests', attestationPolicy('{ name: tests, type: generic }'), org);
  await givenPolicy(api, 'provenance', undefined, org);
  for (const environment of ['x', 'y']) {
    await givenEnvironment(api, environment, 'server', {}, org);
    await api.call(patchTags, {
      params: { org: org.name, type: 'environment', id: environment },
      key: org.keys.admin,
      body: { set_tags: { 'a.b': '2', '10': environment === 'x' ? '1' : '0', constructor: 'ours' } },
    });
    await givenAttached(api, environment, names, org);
    await givenRunning(api, environment, { 'app "1"': 'a', job: 'b', 'ünïcode\u2028': 'c' }, org);
  }
}

beforeAll(async () => {
  await givenFlow(api, 'web', 'version: 1\n');
  for (const digit of ['a', 'b']) await givenArtifact(api, 'web', digit, { trail_name: digit });
  await attest(api, 'web', 'a', {
    attestation_name: 'tests',
    is_compliant: true,
    artifact_fingerprint: fingerprint('a'),
  });
  await givenDecisions(api.org);
  api.clock.now = new Date(api.clock.now.getTime() + 3_600_000);
  await givenDecisions(other);
});

beforeEach(() => {
  found.length = 0;
});

/** Each test restores the table: at the end of the file everything is replayed. */
async function changed(set: string, work: () => Promise<void>): Promise<void> {
  await sql`create table saved_decision as select * from decision where org_id is not null`.execute(api.owner);
  await sql`update decision set ${sql.raw(set)} where org_id = ${api.org.id}`.execute(api.db);
  try {
    await work();
  } finally {
    await sql`delete from decision where org_id is not null`.execute(api.db);
    await sql`insert into decision select * from saved_decision where org_id is not null`.execute(api.db);
    await sql`drop table saved_decision`.execute(api.owner);
  }
}

describe('replaying decisions', () => {
  it('finds no difference in fresh decisions', async () => {
    const all = await replay();
    expect(all.replayed).toBeGreaterThan(20);
    expect(all).toMatchObject({ differences: 0, otherEngines: 0 });
    const ours = await replay({ org: api.org.id });
    const theirs = await replay({ org: other.id });
    expect(ours.replayed + theirs.replayed).toBe(all.replayed);
    expect((await replay({ sample: 5 })).replayed).toBe(5);
    expect((await replay({ sample: 1_000 })).replayed).toBe(all.replayed);
    expect((await replay({ since: api.clock.now })).replayed).toBe(theirs.replayed);
    expect((await replay({ since: api.clock.now, org: api.org.id })).replayed).toBe(0);
  });

  it.each([
    [`reasons = reasons || ' '`, 'reasons'],
    [`shown = replace(shown, 'rule_evaluations', 'rule_Evaluations')`, 'shown'],
    [`status = case status when 'COMPLIANT' then 'NON-COMPLIANT' else 'COMPLIANT' end`, 'status'],
    [`policy_version = 7`, 'inputs'],
    [`evidence_id = gen_random_uuid()`, 'inputs'],
    [`context = 'null'`, 'inputs'],
  ])('notices %s', async (set, difference) => {
    const { replayed } = await replay({ org: api.org.id });
    await changed(set, async () => {
      expect(await replay()).toMatchObject({ differences: replayed });
      expect(new Set(what())).toEqual(new Set([difference]));
      expect(found.every(({ org, stored, replayed }) => org === api.org.name && stored !== replayed)).toBe(true);
      expect(new Set(found.map(({ policy }) => policy))).toEqual(new Set(['reads', 'tests', 'provenance']));
      expect(new Set(found.map(({ policyVersion }) => policyVersion)).size).toBe(1);
    });
  });

  it('notices another context by the id', async () => {
    await changed(`context = replace(context, '{"artifact"', '{ "artifact"')`, async () => {
      await replay();
      expect(new Set(what())).toEqual(new Set(['id']));
    });
  });

  it('counts decisions of another engine separately', async () => {
    const { replayed } = await replay({ org: api.org.id });
    await changed(`engine = 'policy/0'`, async () => {
      expect(await replay()).toMatchObject({ differences: 0, otherEngines: replayed });
    });
  });
});
