import { allowArtifact, type EnvironmentEvent, getAuditLog, listEnvironmentEvents } from '@waymark/contract';
import { beforeAll, expect, it } from 'vitest';
import { givenEnvironment } from '../../../../test/given/environments.ts';
import { attest, fingerprint, givenArtifact, givenFlow } from '../../../../test/given/evidence.ts';
import { attestationPolicy, givenAttached, givenPolicy } from '../../../../test/given/policies.ts';
import { givenRunning, reevaluateAll } from '../../../../test/given/runs.ts';
import { type Answer, startApi } from '../../../../test/harness.ts';

const api = await startApi();
const params = { env_name: 'prod' };

const MISSING =
  "Policy 'tests' requires a compliant attestation named 'unit-tests' of type generic. In flow 'web', trail 'a', there is none.";

beforeAll(async () => {
  await givenFlow(api, 'web', 'version: 1\n');
  await givenPolicy(api, 'origin');
  await givenPolicy(api, 'tests', attestationPolicy('{ name: unit-tests, type: generic }'));
  await givenEnvironment(api, 'prod');
  await givenAttached(api, 'prod', ['origin', 'tests']);
  await givenArtifact(api, 'web', 'a', { trail_name: 'a' });
  await givenRunning(api, 'prod', { web: 'a', '=unknown': 'b' });
  await attest(api, 'web', 'a', {
    attestation_name: 'unit-tests',
    artifact_fingerprint: fingerprint('a'),
    is_compliant: true,
  });
  await reevaluateAll(api, 'prod');
  await attest(api, 'web', 'a', {
    attestation_name: 'unit-tests',
    artifact_fingerprint: fingerprint('a'),
    is_compliant: false,
  });
  await reevaluateAll(api, 'prod');
  const description = 'Hotfix, "urgent"';
  const waiver = { artifact_fingerprint: fingerprint('b'), artifact_name: 'unknown', description };
  await api.call(allowArtifact, { params, body: waiver });
  await givenRunning(api, 'prod', {});
});

it('an audit log says why an artifact is not compliant, by each policy', async () => {
  const { body } = (await api.call(getAuditLog, { params })) as Answer<unknown>;
  const lines = (body as string).split('\r\n').slice(1, -1);
  const FAILED = expect.stringContaining("'unit-tests' of type generic is not compliant");
  const rows = lines.map((line) => {
    const cells = line.match(/("([^"]|"")*"|[^,]*)(,|$)/g)?.map((cell) => cell.replace(/,$/, '')) ?? [];
    return [cells[1], cells[3], cells[4], cells[11], cells[12]?.replace(/^"|"$/g, '').replaceAll('""', '"')];
  });
  expect(rows).toEqual([
    ['started', '1', "'=unknown", 'false', expect.stringMatching(/^Policy 'origin' .* Policy 'tests' .*/)],
    ['started', '1', 'web', 'false', MISSING],
    ['changed', '2', 'web', 'true', ''],
    ['changed', '3', 'web', 'false', FAILED],
    ['changed', '4', "'=unknown", 'true', 'Waived by acme-admin: Hotfix, "urgent"'],
    ['exited', '5', "'=unknown", 'true', 'Waived by acme-admin: Hotfix, "urgent"'],
    ['exited', '5', 'web', 'false', FAILED],
  ]);
});

it('an event of a changed verdict says why', async () => {
  const { body } = (await api.call(listEnvironmentEvents, { params, query: { reverse: 'true' } })) as Answer<
    EnvironmentEvent[]
  >;
  const changed = body.filter(({ type }) => type === 'changed').map(({ description }) => description);
  expect(changed).toEqual([
    'Became compliant in snapshot 2',
    expect.stringMatching(/^Became non-compliant in snapshot 3: Policy 'tests' requires /),
    'Became waived in snapshot 4: Waived by acme-admin: Hotfix, "urgent"',
  ]);
});
