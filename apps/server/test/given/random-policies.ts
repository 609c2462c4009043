import type { ArtifactEvidence, AttestationEvidence, DecisionContext, FlowEvidence } from '@waymark/policy';
import type { Random } from '../model/random.ts';

/** Random policies and evidence with a small vocabulary, so that they match often. */

const NAMES = ['unit-tests', 'scan', 'review'];
const TYPES = ['generic', 'decision', 'pull_request'];
const TRUST = ['claimed', 'api_key', 'workload_identity', 'signature'] as const;
/** The controls that random policies name. */
export const CONTROLS = ['C-1', 'C-2'] as const;

export const FLOWS = ['one', 'two', 'three'];
export const ARTIFACT_NAMES = ['web', 'vendor/db', 'job'];

const CONDITIONS = [
  '${{ flow.name == "one" }}',
  '${{ flow.tags.risk == "high" }}',
  '${{ not exists(flow) }}',
  '${{ matches(artifact.name, "^vendor/") }}',
  '${{ environment.name == "prod" or environment.tags.tier == 1 }}',
  '${{ artifact.name != "web" and flow.name in ["two", "three"] }}',
];

/** Each part of a policy may be absent. `types` are those with evidence. */
export function randomPolicy(random: Random, types: readonly string[] = TYPES): string {
  const requirement = () => ({
    required: random.chance(0.6),
    exceptions: random.chance(0.3) ? [{ if: random.pick(CONDITIONS) }] : [],
  });
  const artifacts = {
    provenance: requirement(),
    'trail-compliance': requirement(),
    attestations: Array.from({ length: random.below(4) }, () => randomRule(random, types)),
  };
  return JSON.stringify({ _schema: 'https://example.com/policy/v1', artifacts });
}

function randomRule(random: Random, types: readonly string[]) {
  const type = random.chance(0.1) ? '*' : random.pick(types);
  return {
    type,
    name: type !== '*' && random.chance(0.3) ? '*' : random.pick(NAMES),
    ...(random.chance(0.3) && { if: random.pick(CONDITIONS) }),
    ...(random.chance(0.2) && { must_be_compliant: false }),
    ...(random.chance(0.2) && { min_trust: random.pick(TRUST) }),
    ...(type === 'pull_request' && random.chance(0.5) && { min_approvals: random.between(1, 2) }),
    ...(random.chance(type === 'decision' ? 0.5 : 0.2) && { for_control: random.pick(CONTROLS) }),
  };
}

export function randomContext(random: Random): DecisionContext {
  const environment = { name: random.pick(['prod', 'test']), tags: random.chance(0.5) ? { tier: '1' } : {} };
  return { artifactName: random.pick(ARTIFACT_NAMES), environment: random.chance(0.2) ? null : environment };
}

export function randomEvidence(random: Random, fingerprint: string): ArtifactEvidence {
  const flows = random.shuffled(FLOWS).slice(0, random.below(FLOWS.length + 1));
  return { fingerprint, flows: flows.map((name) => randomFlow(random, name)) };
}

function randomFlow(random: Random, name: string): FlowEvidence {
  const status = random.weighted({ COMPLIANT: 3, 'NON-COMPLIANT': 1, INCOMPLETE: 1 });
  return {
    flow: { id: `flow-${name}`, name, tags: random.chance(0.5) ? { risk: random.pick(['high', 'low']) } : {} },
    trail: { id: `trail-${name}`, name: `trail-of-${name}` },
    artifactId: `artifact-${name}`,
    status,
    because: `It is ${status}.`,
    fix: status === 'COMPLIANT' ? null : `See to the trail of ${name}.`,
    attestations: NAMES.flatMap((attestation) =>
      TYPES.filter(() => random.chance(0.3)).map((type) => randomAttestation(random, attestation, type)),
    ),
  };
}

function randomAttestation(random: Random, name: string, type: string): AttestationEvidence {
  return {
    id: `${name}-${type}-${random.below(1_000_000)}`,
    name,
    type,
    isCompliant: random.chance(0.8),
    at: random.below(1_000_000),
    isOverride: random.chance(0.1),
    reasons: random.chance(0.5) ? ['It failed'] : [],
    trust: random.pick(TRUST),
    control: type === 'decision' ? random.pick(CONTROLS) : null,
    pullRequests: type === 'pull_request' ? randomPullRequests(random) : null,
  };
}

function randomPullRequests(random: Random): AttestationEvidence['pullRequests'] {
  return Array.from({ length: random.below(3) }, (_, i) => ({
    url: `https://code.example.com/pull/${i}`,
    author: 'ada',
    headCommit: 'c1',
    commitAuthors: ['ada'],
    approvers: random
      .shuffled(['ada', 'bob', 'eve'])
      .slice(0, random.below(4))
      .map((user) => ({ user, commit: random.pick(['c1', 'c0', null]), state: 'APPROVED' })),
  }));
}
