import { hash } from 'node:crypto';
import {
  type ArtifactEvidence,
  type AttestationEvidence,
  type DecisionContext,
  type FlowEvidence,
  type RecordedBy,
  readReading,
  SEVERITIES,
  type StatementEvidence,
  sizeOfReading,
} from '@waymark/policy';
import type { Random } from '../model/random.ts';

/** Random policies and evidence with a small vocabulary, so that they match often. */

const NAMES = ['unit-tests', 'scan', 'review'];
const TYPES = ['generic', 'decision', 'pull_request', 'snyk', 'in_toto'];
const TRUST = ['claimed', 'api_key', 'workload_identity', 'signature'] as const;
const AGES = ['1h', '36h', '9d'];
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
    ...randomNames(random, type),
    ...(random.chance(0.3) && { if: random.pick(CONDITIONS) }),
    ...(random.chance(0.2) && { must_be_compliant: false }),
    ...(random.chance(0.2) && { min_trust: random.pick(TRUST) }),
    ...(random.chance(0.2) && { max_age: random.pick(AGES) }),
    ...(['snyk', '*'].includes(type) && random.chance(0.6) && { findings: randomLimits(random) }),
    ...(type === 'pull_request' &&
      random.chance(0.5) && {
        min_approvals: random.between(1, 2),
        ...(random.chance(0.3) && { not_by: ['author', 'committer'] }),
      }),
    ...(random.chance(type === 'decision' ? 0.5 : 0.2) && { for_control: random.pick(CONTROLS) }),
    ...(type === 'in_toto' && randomStatementFields(random)),
    ...(type === 'decision' && randomDeciderFields(random)),
  };
}

const PEOPLE = ['ada', 'bob', 'eve'];
const GROUPS = ['Release managers', 'Developers'];
const ROLES = ['admin', 'member', 'reader'] as const;

function randomDeciderFields(random: Random) {
  return {
    ...(random.chance(0.3) && {
      decided_by: random.pick([{ role: 'admin' }, { role: 'member' }, { group: 'Release managers' }]),
    }),
    ...(random.chance(0.3) && { not_by: random.pick([['author'], ['committer'], ['author', 'committer']]) }),
  };
}

function randomRecorder(random: Random): RecordedBy {
  const name = random.pick(PEOPLE);
  const kind = random.weighted({ user: 4, service_account: 1, workload: 1 });
  const role = random.pick(ROLES);
  if (kind !== 'user') return { kind, id: 'id-of-ci', name: 'ci', role };
  return {
    ...{ kind, id: `id-of-${name}`, name, role },
    ...(random.chance(0.5) && { aliases: [`${name}@example.com`] }),
    ...(random.chance(0.5) && { groups: [random.pick(GROUPS)] }),
  };
}

/** Several deciders need several names. */
function randomNames(random: Random, type: string) {
  const name = type !== '*' && random.chance(0.3) ? '*' : random.pick(NAMES);
  return { name, ...(type === 'decision' && random.chance(0.3) && { min_deciders: name === '*' ? 2 : 1 }) };
}

const BUILDERS = ['https://ci.example.com/a', 'https://ci.example.com/b'];
const MATERIALS = ['pkg:docker/own/node@7', 'pkg:docker/own/latest', 'pkg:docker/other/node@8'];
const REFS = ['refs/heads/main', 'refs/tags/v1'];
const PREDICATES = ['https://slsa.dev/provenance/v1', 'https://slsa.dev/verification_summary/v1'];
const KEYS = ['release', 'backup'];

function randomStatementFields(random: Random) {
  return {
    ...(random.chance(0.3) && { predicate_type: random.pick(PREDICATES) }),
    ...(random.chance(0.3) && { signed_by: { key: random.pick(KEYS) } }),
    ...(random.chance(0.3) && { builder: random.pick([...BUILDERS, 'https://ci.example.com/*']) }),
    ...(random.chance(0.3) && { source: random.pick([{ ref: 'refs/tags/*' }, { commit: 'artifact' }]) }),
    ...(random.chance(0.3) && {
      materials: random.pick([{ allow: ['pkg:docker/own/**'] }, { deny: '**/latest' }, { allow: '**', deny: '**@7' }]),
    }),
    ...(random.chance(0.3) && { verification_result: random.pick(['PASSED', ['PASSED', 'WARNED']]) }),
  };
}

function randomStatement(random: Random): StatementEvidence {
  const predicateType = random.pick(PREDICATES);
  if (random.chance(0.2)) {
    return {
      predicateType,
      isVerified: false,
      signers: [],
      ...(random.chance(0.5) && { isWithdrawn: true as const }),
    };
  }
  const name = random.pick(KEYS);
  return {
    predicateType,
    isVerified: true,
    signers: [{ kind: 'key', id: `id-of-${name}`, name }],
    ...(random.chance(0.7) && { builder: random.pick(BUILDERS) }),
    ...(random.chance(0.7) && { source: { ref: random.pick(REFS), commit: random.pick(['c1', 'c2']) } }),
    ...(random.chance(0.6) && { materials: random.shuffled(MATERIALS).slice(0, random.between(0, 2)) }),
    ...(random.chance(0.1) && { materialCount: 70 }),
    ...(random.chance(0.5) && { result: random.pick(['PASSED', 'WARNED', 'FAILED'] as const) }),
  };
}

export function randomContext(random: Random): DecisionContext {
  const environment = { name: random.pick(['prod', 'test']), tags: random.chance(0.5) ? { tier: '1' } : {} };
  return { artifactName: random.pick(ARTIFACT_NAMES), environment: random.chance(0.2) ? null : environment };
}

const FINDINGS = ['CVE-1', 'CVE-2', 'CVE-3'];

function randomLimits(random: Random) {
  const severities = random.shuffled(SEVERITIES).slice(0, random.between(1, 3));
  const until = random.pick(['1970-01-05', '1970-01-12']);
  return {
    max: Object.fromEntries(severities.map((severity) => [severity, random.below(2)])),
    ...(random.chance(0.3) && { ignore: [{ id: random.pick(FINDINGS), reason: 'It is not reachable.', until }] }),
    ...(random.chance(0.3) && { only_fixable: true }),
    ...(random.chance(0.5) && { vex: random.pick(['signature', 'workload_identity', 'api_key', 'off']) }),
    ...(random.chance(0.3) && { grace_days: { [random.pick(SEVERITIES)]: random.between(1, 9) } }),
  };
}

/** By their digests, as text. */
export function randomReadings(random: Random): Map<string, string> {
  const texts = Array.from({ length: 6 }, () => {
    const findings = Array.from({ length: random.below(4) }, () => ({
      id: random.pick(FINDINGS),
      severity: random.pick(SEVERITIES),
      component: 'lodash@1',
      ...(random.chance(0.5) && { fixed: '2' }),
      seen: random.below(1_000_000),
    }));
    return JSON.stringify({ kind: 'findings', findings, others: random.chance(0.2) ? { low: 1 } : {} });
  });
  for (let i = 0; i < 4; i += 1) {
    const statements = Array.from({ length: random.below(4) }, () => ({
      names: [random.pick(FINDINGS)],
      status: random.pick(['not_affected', 'affected', 'fixed', 'under_investigation']),
      ...(random.chance(0.5) && { components: [random.pick(['lodash', 'lodash@2'])] }),
      ...(random.chance(0.7) && { justification: 'component_not_present' }),
      ...(random.chance(0.5) && { at: random.below(1_000_000) }),
    }));
    texts.push(JSON.stringify({ kind: 'vex', format: 'OpenVEX', author: 'Acme', statements }));
  }
  return new Map(texts.map((text) => [hash('sha256', text), text]));
}

/** `readings` are those that scans and signed VEX documents may have. */
export function randomEvidence(
  random: Random,
  fingerprint: string,
  readings: ReadonlyMap<string, string> = new Map(),
): ArtifactEvidence {
  const flows = random.shuffled(FLOWS).slice(0, random.below(FLOWS.length + 1));
  return { fingerprint, flows: flows.map((name) => randomFlow(random, name, readings)) };
}

function randomFlow(random: Random, name: string, readings: ReadonlyMap<string, string>): FlowEvidence {
  const status = random.weighted({ COMPLIANT: 3, 'NON-COMPLIANT': 1, INCOMPLETE: 1 });
  return {
    flow: { id: `flow-${name}`, name, tags: random.chance(0.5) ? { risk: random.pick(['high', 'low']) } : {} },
    trail: { id: `trail-${name}`, name: `trail-of-${name}` },
    artifactId: `artifact-${name}`,
    ...(random.chance(0.5) && { commit: 'c1' }),
    ...(random.chance(0.6) && {
      changedBy: { authors: ['Ada <ada@example.com>'], committers: random.chance(0.5) ? [random.pick(PEOPLE)] : [] },
    }),
    status,
    because: `It is ${status}.`,
    fix: status === 'COMPLIANT' ? null : `See to the trail of ${name}.`,
    attestations: NAMES.flatMap((attestation) =>
      TYPES.filter(() => random.chance(0.3)).map((type) => randomAttestation(random, attestation, type, readings)),
    ),
  };
}

function randomAttestation(
  random: Random,
  name: string,
  type: string,
  readings: ReadonlyMap<string, string>,
): AttestationEvidence {
  const member = ({ snyk: 'findings', in_toto: 'vex' } as const)[type];
  const ofKind = [...readings].flatMap(([set, text]) => {
    const reading = readReading(text);
    return reading.kind === member ? [{ set, count: sizeOfReading(reading) }] : [];
  });
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
    ...(member && ofKind.length > 0 && random.chance(0.9) && { [member]: random.pick(ofKind) }),
    ...(['decision', 'pull_request'].includes(type) && random.chance(0.8) && { recordedBy: randomRecorder(random) }),
    ...(type === 'in_toto' &&
      random.chance(0.9) && { statements: Array.from({ length: random.below(4) }, () => randomStatement(random)) }),
  };
}

function randomPullRequests(random: Random): AttestationEvidence['pullRequests'] {
  return Array.from({ length: random.below(3) }, (_, i) => ({
    url: `https://code.example.com/pull/${i}`,
    author: 'ada',
    headCommit: 'c1',
    commitAuthors: ['ada'],
    ...(random.chance(0.3) && { committers: [random.pick(PEOPLE)] }),
    approvers: random
      .shuffled(['ada', 'bob', 'eve'])
      .slice(0, random.below(4))
      .map((user) => ({ user, commit: random.pick(['c1', 'c0', null]), state: 'APPROVED' })),
  }));
}
