import { allowArtifact, assertArtifact } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../../test/given/environments.ts';
import { attest, fingerprint, givenArtifact, givenFlow } from '../../../../test/given/evidence.ts';
import { givenReport } from '../../../../test/given/reports.ts';
import { startApi } from '../../../../test/harness.ts';

const api = await startApi();
await givenFlow(api, 'web', 'version: 1\n');
await givenFlow(api, 'strict');

const ask = (digit: string, query: Record<string, string> = {}) =>
  api.call(assertArtifact, { params: { fingerprint: fingerprint(digit) }, query });

it('answers 200 with the verdict and the reason', async () => {
  await givenArtifact(api, 'web', 'a', { trail_name: 't' });
  expect(await ask('a')).toMatchObject({
    status: 200,
    body: {
      compliant: true,
      scope: 'flow',
      flow: 'web',
      trail: 't',
      environment: null,
      policy_evaluations: [],
      allow_listing: null,
    },
  });
  await attest(api, 'web', 't', {
    attestation_name: 'scan',
    is_compliant: false,
    artifact_fingerprint: fingerprint('a'),
  });
  expect(await ask('a', { flow_name: 'web' })).toMatchObject({
    status: 200,
    body: {
      compliant: false,
      compliance_status: {
        status: 'NON-COMPLIANT',
        attestations_statuses: [{ attestation_name: 'scan', is_compliant: false }],
      },
      flows: [
        {
          flow: 'web',
          compliant: false,
          explanation: { status: 'NON-COMPLIANT', because: expect.stringContaining('scan') },
        },
      ],
    },
  });
});

it('requires every flow that reports the artifact to find it compliant, unless one is named', async () => {
  await givenArtifact(api, 'web', 'b', { trail_name: 't2' });
  await givenArtifact(api, 'strict', 'b', { trail_name: 't2', template_reference_name: 'backend' });
  expect((await ask('b')).body).toMatchObject({
    compliant: false,
    flows: [
      { flow: 'web', compliant: true },
      { flow: 'strict', compliant: false, compliance_status: { status: 'INCOMPLETE' } },
    ],
  });
  expect((await ask('b', { flow_name: 'web' })).body).toMatchObject({ compliant: true });
});

it('answers 404 for an artifact that was never reported', async () => {
  expect(await ask('f')).toMatchObject({ status: 404 });
  expect(await ask('a', { flow_name: 'strict' })).toMatchObject({ status: 404 });
  expect(await ask('a', { flow_name: 'nowhere' })).toMatchObject({ status: 404 });
});

it('lists the flow that reported an artifact first at the top, whoever reports it again', async () => {
  await givenArtifact(api, 'web', 'd', { trail_name: 'first' });
  await givenArtifact(api, 'strict', 'd', { trail_name: 'second', template_reference_name: 'backend' });
  await givenArtifact(api, 'web', 'd', { trail_name: 'third' });
  expect((await ask('d')).body).toMatchObject({
    flow: 'web',
    trail: 'third',
    flows: [
      { flow: 'web', trail: 'third' },
      { flow: 'strict', trail: 'second' },
    ],
  });
});

describe('the first digits of a fingerprint', () => {
  const asked = (prefix: string, query: Record<string, string> = {}) =>
    api.call(assertArtifact, { params: { fingerprint: prefix }, query });
  const twins = Array.from({ length: 11 }, (_, i) => `77777${i.toString(16)}`.padEnd(64, '0'));

  it('resolve to the fingerprint that begins with them', async () => {
    await givenArtifact(api, 'web', 'f', { trail_name: 'prefix' });
    for (const length of [5, 63, 64]) {
      const { status, body } = await asked('f'.repeat(length));
      expect({ status, body }).toMatchObject({ status: 200, body: { fingerprint: fingerprint('f'), flow: 'web' } });
    }
  });

  it('are refused with up to ten candidates when several begin with them', async () => {
    for (const twin of twins) {
      await givenArtifact(api, twin === twins[0] ? 'strict' : 'web', '7', {
        fingerprint: twin,
        trail_name: 'twins',
        template_reference_name: 'backend',
      });
    }
    const candidates = `${twins.slice(0, 10).join(', ')}, …`;
    expect(await asked('77777')).toMatchObject({
      status: 400,
      body: {
        message: `'77777' matches more than one fingerprint: ${candidates}`,
        errors: { fingerprint: `matches ${candidates}` },
      },
    });
    expect(await asked('77777', { flow_name: 'strict' })).toMatchObject({
      status: 200,
      body: { fingerprint: twins[0] },
    });
  });

  it('are a 404 when nothing matches, and refused when they are too few or not hexadecimal', async () => {
    const missing = { status: 404, body: { message: "Artifact '99999' does not exist in this org" } };
    expect(await asked('99999')).toMatchObject(missing);
    expect(await asked('99999', { flow_name: 'web' })).toMatchObject(missing);
    for (const prefix of ['7777', 'ABCDE', 'xyzzy', 'f'.repeat(65)]) {
      expect(await asked(prefix)).toMatchObject({
        status: 400,
        body: { errors: { fingerprint: 'must be 5 to 64 lower-case hexadecimal digits' } },
      });
    }
  });

  it('resolve to an unreported artifact that runs or has a waiver in an environment', async () => {
    await givenEnvironment(api, 'here');
    await givenEnvironment(api, 'there');
    const [running, listed] = ['8'.repeat(64), `88888${'9'.repeat(59)}`];
    await givenReport(api, 'here', [['app', running]]);
    expect(await asked('88888', { environment_name: 'here' })).toMatchObject({
      status: 200,
      body: { fingerprint: running, compliance: 'unknown' },
    });
    const environment_name = 'there';
    expect(await asked('88888', { environment_name })).toMatchObject({ status: 404 });
    await api.call(allowArtifact, {
      params: { env_name: 'there' },
      body: { artifact_fingerprint: listed, artifact_name: 'tool', description: 'trusted' },
    });
    expect(await asked('88888', { environment_name })).toMatchObject({
      status: 200,
      body: { fingerprint: listed, allow_listing: { description: 'trusted' } },
    });
    expect(await asked('88888')).toMatchObject({ status: 404 });
  });
});
