import { attestJira, attestPullRequest, beginTrail, reportArtifact } from '@waymark/contract';
import { givenEnvironment } from '../../server/test/given/environments.ts';
import { artifact, attest, commit, fingerprint, givenArtifact, givenFlow } from '../../server/test/given/evidence.ts';
import { attestationPolicy, givenAttached, givenPolicy } from '../../server/test/given/policies.ts';
import { givenRunning } from '../../server/test/given/runs.ts';
import type { TestApi } from '../../server/test/harness.ts';

const TEMPLATE = `version: 1
trail:
  artifacts:
    - name: backend
      attestations:
        - name: unit-tests
          type: generic
        - name: scan
          type: snyk
`;

/** A service that runs in prod with failing tests and without a scan, beside one that was not reported. */
export async function givenStory(api: TestApi): Promise<void> {
  await givenFlow(api, 'shop', TEMPLATE);
  await api.call(beginTrail, {
    params: { flow_name: 'shop' },
    body: {
      name: 'release-1',
      git_commit_info: { sha1: commit('a'), message: 'SHOP-12: sell more\n\nmuch more', author: 'Ada', branch: 'main' },
    },
  });
  await givenArtifact(api, 'shop', 'a', { trail_name: 'release-1', template_reference_name: 'backend' });
  await attest(api, 'shop', 'release-1', {
    attestation_name: 'unit-tests',
    is_compliant: false,
    artifact_fingerprint: fingerprint('a'),
  });
  await givenEnvironment(api, 'prod');
  await givenEnvironment(api, 'staging');
  await givenPolicy(
    api,
    'strict',
    attestationPolicy('{ name: unit-tests, type: generic }', '{ name: scan, type: generic }'),
  );
  await givenPolicy(api, 'provenance');
  await givenAttached(api, 'prod', ['strict', 'provenance']);
  await givenRunning(api, 'prod', { backend: 'a', ghost: 'd' });
}

/** A review and a ticket of the same trail. */
export async function givenReview(api: TestApi): Promise<void> {
  const params = { flow_name: 'shop', trail_name: 'release-1' };
  const url = 'https://git.example.com/acme/shop/pull/8';
  const answers = [
    await api.call(attestPullRequest, {
      params,
      body: {
        attestation_name: 'review',
        git_provider: 'github',
        pull_requests: [{ url, state: 'MERGED', author: 'ada', approvers: ['bob'] }],
      } as never,
    }),
    await api.call(attestJira, {
      params,
      body: { attestation_name: 'ticket', jira_results: [{ issue_id: 'SHOP-7', issue_exists: true }] } as never,
    }),
  ];
  for (const { status, body } of answers) if (status !== 201) throw new Error(JSON.stringify(body));
}

/** An artifact in a flow without requirements, so that it is compliant. */
export async function givenPlainArtifact(api: TestApi, flow: string, digit: string, more: object = {}): Promise<void> {
  await givenFlow(api, flow, 'version: 1\n');
  const answer = await api.call(reportArtifact, { params: { flow_name: flow }, body: artifact(digit, more) });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
}
