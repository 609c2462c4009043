import { hash } from 'node:crypto';
import { type Call, deliver, MAX_CALLERS } from '../call.ts';

/** Where to send to, and as whom. */
export interface Caller {
  readonly url: string;
  readonly org: string;
  readonly key: string;
}

export interface FleetSize {
  readonly environments: number;
  readonly artifacts: number;
  /** Environments with the same policy and all artifacts but the subject of the evidence. */
  readonly bystanders: number;
}

export interface Fleet {
  readonly environments: readonly string[];
  readonly bystanders: readonly string[];
  readonly caller: Caller;
  /** What runs in an environment of the fleet. */
  readonly running: readonly Running[];
  /** Reports whether the one artifact was reviewed, which decides about all environments. */
  review(isCompliant: boolean): Promise<void>;
  /** Sets a tag of the flow that all artifacts came from. */
  tag(key: string, value: string): Promise<void>;
}

export interface Running {
  readonly name: string;
  readonly fingerprint: string;
}

const FLOW = 'fleet';
const TRAIL = 'build-1';
const POLICY = 'reviewed';
/** Artifacts from outside of the flow pass. */
const POLICY_YAML = `_schema: https://example.com/policy/v1
artifacts:
  attestations:
    - name: review
      type: generic
      if: \${{ flow.name == "${FLOW}" }}
    - name: penetration-test
      type: generic
      if: \${{ flow.tags.risk == "high" }}
`;

/**
 * Environments that run the same artifacts under the same policy. All artifacts satisfy it but one, which all run and
 * which waits for its review.
 */
export async function buildFleet(caller: Caller, size: FleetSize): Promise<Fleet> {
  const running = Array.from({ length: size.artifacts }, (_, i) => artifactOf(`service-${i + 1}`));
  const [waiting, ...reviewed] = running;
  if (!waiting) throw new Error('a fleet needs an artifact');
  const { org } = caller;
  await call(caller, { method: 'PUT', path: `/flows/${org}`, body: { name: FLOW, template: 'version: 1' } });
  for (const artifact of running) await call(caller, built(org, FLOW, TRAIL, artifact));
  for (const artifact of reviewed) await call(caller, attested(org, FLOW, TRAIL, 'review', artifact, true));
  await call(caller, { method: 'PUT', path: `/policies/${org}/${POLICY}`, body: { policy_yaml: POLICY_YAML } });
  const environments = namesOf('fleet', size.environments);
  const bystanders = namesOf('bystander', size.bystanders);
  await forEach(environments, (name) => start(caller, name, running));
  await forEach(bystanders, (name) => start(caller, name, reviewed));
  return {
    ...{ environments, bystanders, caller, running },
    review: (isCompliant) => call(caller, attested(org, FLOW, TRAIL, 'review', waiting, isCompliant)),
    tag: (key, value) =>
      call(caller, { method: 'PATCH', path: `/tags/${org}/flow/${FLOW}`, body: { set_tags: { [key]: value } } }),
  };
}

async function start(caller: Caller, name: string, running: readonly Running[]): Promise<void> {
  const body = { name, type: 'server', policies: [POLICY] };
  await call(caller, { method: 'PUT', path: `/environments/${caller.org}`, body });
  await call(caller, reported(caller.org, name, running));
}

export function artifactOf(name: string, version = ''): Running {
  return { name, fingerprint: hash('sha256', name + version) };
}

export function built(org: string, flow: string, trail: string, { name, fingerprint }: Running): Call {
  const body = {
    fingerprint,
    filename: name,
    trail_name: trail,
    build_url: 'https://ci.example.com/1',
    commit_url: 'https://git.example.com/1',
    git_commit: '1'.repeat(40),
  };
  return { method: 'POST', path: `/artifacts/${org}/${flow}`, body };
}

export function attested(
  org: string,
  flow: string,
  trail: string,
  attestation_name: string,
  { fingerprint: artifact_fingerprint }: Running,
  is_compliant: boolean,
): Call {
  const path = `/attestations/${org}/${flow}/trail/${trail}/generic`;
  return { method: 'POST', path, body: { attestation_name, artifact_fingerprint, is_compliant } };
}

export function reported(org: string, environment: string, running: readonly Running[]): Call {
  const artifacts = running.map(({ name, fingerprint }) => ({
    digests: { [name]: fingerprint },
    creationTimestamp: 1_790_000_000,
  }));
  return { method: 'PUT', path: `/environments/${org}/${environment}/report/server`, body: { artifacts } };
}

export function call({ url, key }: Caller, what: Call): Promise<void> {
  return deliver(url, key, what);
}

function namesOf(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${i + 1}`);
}

async function forEach(names: readonly string[], work: (name: string) => Promise<void>): Promise<void> {
  const left = names.values();
  const workThrough = async () => {
    for (const name of left) await work(name);
  };
  await Promise.all(Array.from({ length: MAX_CALLERS }, workThrough));
}
