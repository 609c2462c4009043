import { assertArtifact } from '@waymark/contract';
import { expect, it } from 'vitest';
import { attest, fingerprint, givenArtifact, givenFlow } from '../../../test/given/evidence.ts';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();
await givenFlow(api, 'web', 'version: 1\n');
await givenFlow(api, 'strict');

const ask = (digit: string, query: Record<string, string> = {}) =>
  api.call(assertArtifact, { params: { fingerprint: fingerprint(digit) }, query });

it('answers 200 with yes or no, and why', async () => {
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

it('needs every flow that reports the artifact to find it compliant, unless one is named', async () => {
  await givenArtifact(api, 'web', 'b', { trail_name: 't2' });
  await givenArtifact(api, 'strict', 'b', { trail_name: 't2', template_reference_name: 'backend' });
  expect((await ask('b')).body).toMatchObject({
    compliant: false,
    flows: [
      { flow: 'strict', compliant: false, compliance_status: { status: 'INCOMPLETE' } },
      { flow: 'web', compliant: true },
    ],
  });
  expect((await ask('b', { flow_name: 'web' })).body).toMatchObject({ compliant: true });
});

it('does not know what was never reported', async () => {
  expect(await ask('f')).toMatchObject({ status: 404 });
  expect(await ask('a', { flow_name: 'strict' })).toMatchObject({ status: 404 });
  expect(await ask('a', { flow_name: 'nowhere' })).toMatchObject({ status: 404 });
});
