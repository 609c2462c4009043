import {
  attestCustom,
  attestOverride,
  beginTrail,
  postAttestationType,
  recordApproval,
  renameFlow,
} from '@waymark/contract';
import { givenEnvironment } from '../../server/test/given/environments.ts';
import {
  attest,
  commit,
  fingerprint,
  givenArtifact,
  givenFlow,
  givenTrail,
  sendForm,
} from '../../server/test/given/evidence.ts';
import { attestationPolicy, givenAttached, givenPolicy } from '../../server/test/given/policies.ts';
import { givenRunning } from '../../server/test/given/runs.ts';
import type { TestApi } from '../../server/test/harness.ts';

const NAMES = ['unit', 'lint', 'scan', 'review', 'load', 'smoke'];

const TEMPLATE = `version: 1
trail:
  attestations:
    - name: ticket
      type: generic
  artifacts:
    - name: app
      attestations:
${NAMES.map((name) => `        - { name: ${name}, type: generic }`).join('\n')}
`;

/** A trail with every kind of record, in which six attestations are not compliant. */
export async function givenEvidence(api: TestApi): Promise<void> {
  const place = { flow_name: 'shop', trail_name: 'release-9' };
  const send = async (answer: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await answer;
    if (status !== 201 && status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  };
  await givenFlow(api, 'shop', TEMPLATE);
  await givenTrail(api, 'shop', 'release-9');
  await send(
    api.call(beginTrail, {
      params: { flow_name: 'shop' },
      body: { name: 'release-9', description: 'Release 9', git_commit_info: { sha1: commit('a'), message: 'ship' } },
    }),
  );
  await givenArtifact(api, 'shop', 'a', { trail_name: 'release-9', template_reference_name: 'app' });
  for (const name of NAMES)
    await send(
      attest(api, 'shop', 'release-9', {
        attestation_name: name,
        is_compliant: false,
        artifact_fingerprint: fingerprint('a'),
        user_data: { rounds: 3, ö: [1.5, null] },
      }),
    );
  await send(attest(api, 'shop', 'release-9', { attestation_name: 'ticket', is_compliant: false }));
  await send(
    api.call(attestOverride, {
      params: place,
      body: {
        attestation_name: 'ticket',
        original_attestation_type: 'generic',
        new_compliance_status: true,
        reason: 'Closed by hand',
      },
    }),
  );
  await send(
    sendForm(
      api,
      'POST',
      '/attestations/acme/shop/trail/release-9/junit',
      { data_json: { attestation_name: 'extra' } },
      {
        part: 'attachment_file',
        name: 'junit.xml',
        content: '<testsuite name="s" tests="1" failures="0" errors="0"><testcase classname="c" name="t"/></testsuite>',
      },
    ),
  );
  await send(
    api.call(recordApproval, {
      params: { flow_name: 'shop' },
      body: {
        artifact_fingerprint: fingerprint('a'),
        src_commit_list: [commit('a')],
        approvals: [{ state: 'APPROVED', approved_by: 'ada' }],
      },
    }),
  );
  await send(
    api.call(postAttestationType, {
      body: {
        name: 'coverage',
        evaluator: { content_type: 'jq', rules: ['.line >= 80'] },
        summary: [{ name: 'Lines', expression: '.line' }],
        type_schema: { type: 'object' },
      },
    }),
  );
  await send(
    api.call(attestCustom, {
      params: place,
      body: { attestation_name: 'coverage', type_name: 'coverage', attestation_data: { line: 60 } },
    }),
  );
  await send(api.call(renameFlow, { params: { flow_name: 'shop' }, body: { new_name: 'store' } }));
}

/** An environment in which the artifact of `givenEvidence` fails, and then runs by a waiver, beside an unknown one. */
export async function givenRuns(api: TestApi): Promise<void> {
  await givenEnvironment(api, 'prod');
  await givenPolicy(api, 'strict', attestationPolicy('{ name: unit, type: generic }'));
  await givenPolicy(api, 'provenance');
  await givenAttached(api, 'prod', ['strict', 'provenance']);
  await givenRunning(api, 'prod', { app: 'a', ghost: 'd' });
}
