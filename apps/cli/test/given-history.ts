import {
  attestDecision,
  attestGeneric,
  attestJira,
  attestOverride,
  attestPullRequest,
  attestSnyk,
  attestSonar,
  beginTrail,
  type Contract,
  patchTags,
  postAttestationType,
  putFlow,
  reportK8s,
} from '@waymark/contract';
import { givenEnvelope, givenKeys, givenStatement } from '../../../packages/evidence/src/given/envelope.ts';
import { givenEnvironment } from '../../server/test/given/environments.ts';
import { commit, fingerprint, givenArtifact, sendForm, TEMPLATE } from '../../server/test/given/evidence.ts';
import { givenReport } from '../../server/test/given/reports.ts';
import type { TestApi } from '../../server/test/harness.ts';

const BEGUN_AT = Date.UTC(2026, 2, 1, 9);
const MINUTE_MS = 60_000;

const JUNIT = '<testsuite name="shop" tests="2"><testcase name="ships"/><testcase name="pays"/></testsuite>';
const SBOM = JSON.stringify({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  components: [{ type: 'library', name: 'left-pad', version: '1.3.0', purl: 'pkg:npm/left-pad@1.3.0' }],
});

/** An org with a history of months ago: something of every kind that an import carries. */
export async function givenHistory(api: TestApi, { trails }: { trails: number }): Promise<void> {
  api.clock.now = new Date(BEGUN_AT);
  await givenTypes(api);
  await done(api, putFlow, { body: { name: 'shop', description: 'The shop', template: TEMPLATE } });
  await done(api, patchTags, { params: { type: 'flow', id: 'shop' }, body: { set_tags: { team: 'web', tier: '1' } } });
  await done(api, putFlow, { body: { name: 'tools', visibility: 'public' } });
  for (let number = 1; number <= trails; number++) await givenFullTrail(api, `release-${number}`, number);
  await done(api, beginTrail, {
    params: { flow_name: 'tools' },
    body: {
      name: 'nightly',
      template: 'version: 1\ntrail:\n  attestations:\n    - name: lint\n      type: generic\n',
      git_commit_info: { sha1: commit('c'), message: 'Tidy up', author: 'Ada <ada@example.com>', branch: 'main' },
      origin_url: 'https://ci.example.com/nightly/1',
      user_data: { shard: [1, 2] },
    },
  });
  await givenEnvironments(api);
}

/** Fails at once where a part of the history is refused, and lets time pass. */
async function done<C extends Contract>(api: TestApi, contract: C, call: Parameters<typeof api.call<C>>[1]) {
  api.clock.now = new Date(api.clock.now.getTime() + MINUTE_MS);
  const { status, body } = await api.call(contract, call);
  if (status !== 200 && status !== 201) throw new Error(`${contract.id}: ${JSON.stringify(body)}`);
}

async function givenTypes(api: TestApi): Promise<void> {
  const type = { name: 'coverage', description: 'Share of lines that tests reach' };
  await done(api, postAttestationType, {
    body: { ...type, evaluator: { content_type: 'jq', rules: ['.line >= 50'] } },
  });
  await done(api, postAttestationType, {
    body: {
      ...type,
      comment: 'Stricter',
      evaluator: { content_type: 'jq', rules: ['.line >= 75'] },
      type_schema: { type: 'object', required: ['line'] },
      summary: [{ name: 'lines', expression: '.line' }],
    },
  });
}

async function givenFullTrail(api: TestApi, trail: string, number: number): Promise<void> {
  const digit = (number % 10).toString();
  const params = { flow_name: 'shop', trail_name: trail };
  const git_commit_info = { sha1: commit(digit), message: `Change ${number}`, author: 'Ada', branch: 'main' };
  await done(api, beginTrail, {
    params,
    body: {
      name: trail,
      description: `Release ${number}`,
      git_commit_info,
      external_urls: { doc: { href: 'https://d' } },
    },
  });
  // About an artifact that is reported later, by its name in the template.
  await attach(api, trail, 'junit', JUNIT, {
    attestation_name: 'unit-tests',
    target_artifacts: ['backend'],
    git_commit_info,
  });
  api.clock.now = new Date(api.clock.now.getTime() + MINUTE_MS);
  await givenArtifact(api, 'shop', digit, {
    trail_name: trail,
    template_reference_name: 'backend',
    annotations: { image: 'alpine' },
    user_data: { cost: 3 },
    repo_info: { name: 'acme/shop', url: 'https://git.example.com/acme/shop', provider: 'github', id: '42' },
  });
  const artifact_fingerprint = fingerprint(digit);
  await done(api, attestSnyk, {
    params,
    body: {
      attestation_name: 'scan',
      artifact_fingerprint,
      snyk_results: { tool: { name: 'Snyk' }, results: [{ high_count: 0, medium_count: 1, low_count: 2 }] },
      user_data: { run: number },
      annotations: { reviewer: 'grace' },
    },
  });
  await attach(api, trail, 'sbom', SBOM, { attestation_name: 'bom', artifact_fingerprint });
  await attach(api, trail, 'in_toto', envelopeFor(artifact_fingerprint), {
    attestation_name: 'signed',
    artifact_fingerprint,
  });
  await attach(api, trail, 'custom', 'line 80\n', {
    attestation_name: 'coverage',
    type_name: 'coverage',
    attestation_data: { line: 80, files: ['a', 'b'] },
  });
  await attach(api, trail, 'generic', `log of ${trail}\n`, { attestation_name: 'smoke', is_compliant: false });
  await done(api, attestOverride, {
    params,
    body: {
      attestation_name: 'smoke',
      reason: 'Known flake',
      new_compliance_status: true,
      original_attestation_type: 'generic',
    },
  });
  // Twice under one name: both are history.
  await done(api, attestGeneric, { params, body: { attestation_name: 'smoke', is_compliant: true } });
  await done(api, attestSonar, {
    params,
    body: { attestation_name: 'gate', sonar_results: { qualityGate: { status: 'OK' }, project: { key: 'shop' } } },
  });
  await done(api, attestJira, {
    params,
    body: {
      attestation_name: 'ticket',
      jira_results: [{ issue_id: 'SHOP-1', issue_url: 'https://jira.example.com/SHOP-1', issue_exists: true }],
    },
  });
  await done(api, attestPullRequest, {
    params,
    body: {
      attestation_name: 'pr',
      git_provider: 'github',
      pull_requests: [
        { url: 'https://git.example.com/pr/1', state: 'MERGED', merge_commit: commit(digit), approvers: ['grace'] },
      ],
    },
  });
  await done(api, attestDecision, {
    params,
    body: { attestation_name: 'review', control: 'SDLC-7', attestation_data: { is_compliant: true, by: 'grace' } },
  });
}

const signer = givenKeys.ed25519();

function envelopeFor(sha256: string): string {
  const statement = givenStatement({ subject: [{ name: 'app', digest: { sha256 } }] });
  return JSON.stringify(givenEnvelope(statement, [{ by: signer }]));
}

async function attach(api: TestApi, trail: string, kind: string, content: string, data_json: object): Promise<void> {
  api.clock.now = new Date(api.clock.now.getTime() + MINUTE_MS);
  const path = `/attestations/${api.org.name}/shop/trail/${trail}/${kind}`;
  const file = { part: 'attachment_file', name: `${kind}.txt`, content };
  const { status, body } = await sendForm(api, 'POST', path, { data_json }, file);
  if (status !== 201) throw new Error(`${kind}: ${JSON.stringify(body)}`);
}

async function givenEnvironments(api: TestApi): Promise<void> {
  await givenEnvironment(api, 'prod', 'server', { description: 'The shop' });
  await givenEnvironment(api, 'cluster', 'K8S');
  await givenEnvironment(api, 'eu', 'logical', { included_environments: ['prod', 'cluster'] });
  await done(api, patchTags, { params: { type: 'env', id: 'prod' }, body: { set_tags: { region: 'eu' } } });
  await givenReport(api, 'prod', [['app', fingerprint('1')]]);
  await givenReport(api, 'prod', [
    ['app', fingerprint('2')],
    ['app', fingerprint('2')],
    ['stray', fingerprint('e')],
  ]);
  await done(api, reportK8s, {
    params: { env_name: 'cluster' },
    body: {
      artifacts: ['web-1', 'web-2'].map((podName, at) => ({
        podName,
        namespace: 'shop',
        digests: { 'registry/web:1': fingerprint('3') },
        creationTimestamp: 1_700_000_000 + at,
        owners: [{ kind: 'ReplicaSet', name: 'web' }],
      })),
    },
  });
}
