import { hash } from 'node:crypto';

const FLOW = 'demo-shop';
const PLACE = 'demo-production';
const CONTROL = 'DEMO-1';
const COMMIT = '9f1c2b3a4d5e6f708192a3b4c5d6e7f809182736';
/** In seconds since 1970. */
const STARTED = 1_793_520_000;

const POLICY = `_schema: https://example.com/policy/v1
artifacts:
  provenance:
    required: true
    exceptions:
      - if: '\${{ matches(artifact.name, "^vendor/") }}'
  attestations:
    - { name: unit-tests, type: junit, if: '\${{ exists(flow) }}' }
    - { type: decision, for_control: ${CONTROL}, if: '\${{ flow.tags.risk == "high" }}' }
`;

/** Where the demo is, and the key of its admin. */
export interface DemoApi {
  readonly url: string;
  readonly key: string;
}

/**
 * An environment that a policy judges, with something of each verdict: one artifact that has all the evidence, one whose
 * tests fail, one that was let pass, and one that an exception is made for. Saying it all again changes nothing.
 */
export async function givenVerdicts(api: DemoApi): Promise<void> {
  await send(api, 'POST', 'controls/acme', { identifier: CONTROL, name: 'Every release is decided on' }, [409]);
  await send(api, 'PUT', 'flows/acme', { name: FLOW, description: 'The web shop', template: 'version: 1' });
  await send(api, 'PATCH', `tags/acme/flow/${FLOW}`, { set_tags: { risk: 'high' } });
  await givenBuilt(api, 'web', 0);
  await givenBuilt(api, 'search', 2);
  const environment = { name: PLACE, type: 'server', description: 'Where customers shop' };
  await send(api, 'PUT', 'environments/acme', environment);
  await send(api, 'PUT', `policies/acme/${PLACE}`, { policy_yaml: POLICY, description: 'What may run in production' });
  await send(api, 'POST', `environments/acme/${PLACE}/policies`, { policy_names: [PLACE] });
  await send(api, 'PUT', `allowlists/acme/${PLACE}`, {
    artifact_fingerprint: fingerprintOf('hotfix'),
    artifact_name: 'hotfix',
    description: 'Ends an outage; to be built again by the flow',
  });
  await send(api, 'PUT', `environments/acme/${PLACE}/report/server`, {
    artifacts: ['web', 'search', 'hotfix', 'vendor/cache'].map((name) => ({
      digests: { [name]: fingerprintOf(name) },
      creationTimestamp: STARTED,
    })),
  });
}

async function givenBuilt(api: DemoApi, name: string, failures: number): Promise<void> {
  const trail = `${name}-1`;
  const artifact = {
    fingerprint: fingerprintOf(name),
    filename: `${name}.tgz`,
    trail_name: trail,
    git_commit: COMMIT,
    commit_url: `https://git.example.com/commit/${COMMIT}`,
    build_url: `https://ci.example.com/builds/${trail}`,
  };
  await send(api, 'POST', `artifacts/acme/${FLOW}`, artifact, [], once(`${name} built`));
  const attest = (type: string, attestation_name: string, more: object) => {
    const body = { attestation_name, artifact_fingerprint: artifact.fingerprint, ...more };
    return send(api, 'POST', `attestations/acme/${FLOW}/trail/${trail}/${type}`, body, [], once(`${name} ${type}`));
  };
  const results = { name: 'shop', total: 200, failures, errors: 0, skipped: 0, duration: 3, timestamp: STARTED };
  await attest('junit', 'unit-tests', { junit_results: [results] });
  await attest('decision', 'release', { control: CONTROL, attestation_data: { is_compliant: true } });
}

/** The demo keeps its data, so what was recorded by an earlier start is not recorded again. */
function once(what: string): Record<string, string> {
  const digits = hash('sha256', `demo ${what}`);
  const id = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`];
  return { 'waymark-evidence-id': [...id, digits.slice(20, 32)].join('-') };
}

function fingerprintOf(name: string): string {
  return hash('sha256', `${name} of the demo`);
}

async function send(
  { url, key }: DemoApi,
  method: string,
  path: string,
  body: object,
  alsoFine: readonly number[] = [],
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const answer = await fetch(`${url}/api/v2/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (answer.ok || alsoFine.includes(answer.status)) return;
  throw new Error(`${method} ${path} was refused: ${await answer.text()}`);
}
