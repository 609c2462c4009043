import { attestOverride, reportArtifact, TRAIL_ARTIFACTS_MAX, TRAIL_ATTESTATIONS_MAX } from '@waymark/contract';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { artifact, attest, givenArtifact, givenFlow, givenTrail } from '../../../test/given/evidence.ts';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();
let trail = '';
let count = 0;

beforeAll(() => givenFlow(api, 'web', 'version: 1'));

beforeEach(async () => {
  trail = `t-${++count}`;
  await givenTrail(api, 'web', trail);
});

const attested = (name: string, inTrail = trail) =>
  attest(api, 'web', inTrail, { attestation_name: name, is_compliant: true });

/** As if so many more had been attested, each under its own name. */
async function givenNames(more: number): Promise<void> {
  await attested('first');
  await sql`
    insert into attestation (org_id, id, flow_id, trail_id, name, type, counts_as, is_compliant, trust, content, verdict,
      created_at, created_by)
    select org_id, gen_random_uuid(), flow_id, trail_id, 'name-' || number, type, counts_as, is_compliant, trust,
      content, verdict, created_at, created_by
    from attestation cross join generate_series(1, ${more}) as number
    where org_id = ${api.org.id} and trail_id = (
      select id from trail where org_id = ${api.org.id} and name = ${trail})`.execute(api.db);
}

async function namesIn(name: string): Promise<number> {
  const { rows } = await sql<{ names: number }>`
    select count(distinct name)::integer as names from attestation
    where org_id = ${api.org.id} and trail_id = (
      select id from trail where org_id = ${api.org.id} and name = ${name})`.execute(api.db);
  return rows[0]?.names ?? -1;
}

describe('the attestations of a trail', () => {
  it('may have 5,000 names; one more is refused', async () => {
    await givenNames(TRAIL_ATTESTATIONS_MAX - 2);
    expect((await attested('last')).status).toBe(201);
    expect(await attested('one-too-many')).toMatchObject({
      status: 400,
      body: {
        errors: {
          attestation_name: `is one too many: trail '${trail}' has attestations of 5,000 different names, types, and targets, which is the maximum. Use another trail, such as one for each build`,
        },
      },
    });
    expect(await namesIn(trail)).toBe(TRAIL_ATTESTATIONS_MAX);
  });

  it('may be repeated and overridden in a full trail, and other trails have room', async () => {
    await givenNames(TRAIL_ATTESTATIONS_MAX - 1);
    expect((await attested('name-7')).status).toBe(201);
    expect((await attested('name-7')).status).toBe(201);
    const override = await api.call(attestOverride, {
      params: { flow_name: 'web', trail_name: trail },
      body: {
        ...{ attestation_name: 'name-8', original_attestation_type: 'generic' },
        ...{ new_compliance_status: false, reason: 'a known flake' },
      },
    });
    expect(override.status).toBe(201);
    await givenTrail(api, 'web', `${trail}-next`);
    expect((await attested('one-too-many', `${trail}-next`)).status).toBe(201);
  });

  it('never exceed that, however many are reported at once', async () => {
    await givenNames(TRAIL_ATTESTATIONS_MAX - 11);
    const statuses = (await Promise.all(Array.from({ length: 30 }, (_, i) => attested(`at-once-${i}`)))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(10);
    expect(statuses.filter((status) => status === 400)).toHaveLength(20);
    expect(await namesIn(trail)).toBe(TRAIL_ATTESTATIONS_MAX);
  });

  it('count by name, not by the number of reports', async () => {
    await attested('same');
    await sql`
      insert into attestation (org_id, id, flow_id, trail_id, name, type, counts_as, is_compliant, trust, content,
        verdict, created_at, created_by)
      select org_id, gen_random_uuid(), flow_id, trail_id, name, type, counts_as, is_compliant, trust, content, verdict,
        created_at, created_by
      from attestation cross join generate_series(1, ${TRAIL_ATTESTATIONS_MAX + 1}) as number
      where org_id = ${api.org.id} and trail_id = (
        select id from trail where org_id = ${api.org.id} and name = ${trail})`.execute(api.db);
    expect((await attested('another')).status).toBe(201);
  });
});

it('a trail holds 2,000 artifacts, and accepts more reports of those', async () => {
  await givenArtifact(api, 'web', 'a', { trail_name: trail });
  await sql`
    insert into artifact (org_id, id, flow_id, trail_id, fingerprint, filename, commit_sha, build_url, commit_url,
      repo_url, content, created_at, created_by)
    select org_id, gen_random_uuid(), flow_id, trail_id, encode(sha256(number::text::bytea), 'hex'), filename, commit_sha,
      build_url, commit_url, repo_url, content, created_at, created_by
    from artifact cross join generate_series(1, ${TRAIL_ARTIFACTS_MAX - 2}) as number
    where org_id = ${api.org.id} and trail_id = (
      select id from trail where org_id = ${api.org.id} and name = ${trail})`.execute(api.db);
  const report = (digit: string) =>
    api.call(reportArtifact, { params: { flow_name: 'web' }, body: artifact(digit, { trail_name: trail }) });
  const statuses = (await Promise.all(['b', 'c', 'd'].map(report))).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([201, 400, 400]);
  expect((await report('a')).status).toBe(201);
  expect(await report('e')).toMatchObject({
    status: 400,
    body: {
      errors: { fingerprint: expect.stringContaining(`trail '${trail}' has 2,000 artifacts, which is the maximum`) },
    },
  });
});
