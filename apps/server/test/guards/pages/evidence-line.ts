import type {
  ArtifactEvidence,
  AttestationEvidence,
  DecisionContext,
  FindingEvidence,
  FlowEvidence,
  LicenseEvidence,
  Reading,
  RecordedBy,
  Severity,
  StatementEvidence,
  VexEvidence,
} from '@waymark/policy';

const FINGERPRINT = '4f2a'.repeat(16);
const HEAD = 'c0ffee'.padEnd(40, '0');

const TRAILS = {
  '': { status: 'COMPLIANT', because: 'Everything that is required is present and compliant.', fix: null },
  'trail incomplete': {
    status: 'INCOMPLETE',
    because: "Artifact 'web' lacks 'scan'.",
    fix: "Report an attestation named 'scan' on artifact 'web'.",
  },
  'trail not compliant': {
    status: 'NON-COMPLIANT',
    because: "'scan' was reported as generic and is not compliant.",
    fix: "Fix what 'scan' found and report it again.",
  },
} as const satisfies Record<string, Pick<FlowEvidence, 'status' | 'because' | 'fix'>>;

/** The evidence of an artifact, as a document writes it on one line. */
export interface EvidenceLine {
  readonly evidence: ArtifactEvidence;
  readonly context: DecisionContext;
  /** Seconds. */
  readonly now: number;
}

/** `on 2026-11-20, as shop:7, in lab [use=playground], reported to shop [risk=high]: unit-tests junit passed; to audit`. */
export function readEvidenceLine(line: string): EvidenceLine {
  const {
    on = '2026-11-01',
    as,
    name,
    tags,
    known = '',
  } = /^(?:on (?<on>[\d-]+), )?(?:as (?<as>\S+), )?(?:in (?<name>[\w-]+)(?: \[(?<tags>[^\]]*)\])?, )?(?<known>.+)$/.exec(
    line,
  )?.groups ?? {};
  const readings = new Map<string, Reading>();
  return {
    evidence: { fingerprint: known === 'without a digest' ? '' : FINGERPRINT, flows: flowsOf(known, readings) },
    context: {
      artifactName: as ?? 'shop:7',
      environment: { name: name ?? 'production', tags: tagsOf(tags) },
      readings,
    },
    now: secondsOf(on),
  };
}

function flowsOf(known: string, readings: Map<string, Reading>): FlowEvidence[] {
  if (known === 'not reported' || known === 'without a digest') return [];
  if (!known.startsWith('reported to ')) throw new Error(`nothing is known of such evidence: ${known}`);
  return known
    .slice('reported to '.length)
    .split('; to ')
    .map((text) => flowOf(text, readings));
}

function flowOf(text: string, readings: Map<string, Reading>): FlowEvidence {
  const {
    name = '',
    tags,
    trail,
    list,
  } = groupsOf(/^(?<name>[\w-]+)(?: \[(?<tags>[^\]]*)\])?(?: \((?<trail>[^)]*)\))?(?:: (?<list>.+))?$/, text);
  return {
    flow: { id: `flow-${name}`, name, tags: tagsOf(tags) },
    trail: { id: `trail-${name}`, name: 'release-7' },
    artifactId: `artifact-${name}`,
    commit: HEAD,
    changedBy: { authors: ['Ada <ada@example.com>'], committers: ['Eve <eve@example.com>'] },
    ...trailOf(trail),
    attestations: list?.split(', ').map((one) => attestationOf(one, readings)) ?? [],
  };
}

function trailOf(text = '') {
  if (!isTrail(text)) throw new Error(`no trail is ${text}`);
  return TRAILS[text];
}

function isTrail(text: string): text is keyof typeof TRAILS {
  return text in TRAILS;
}

function attestationOf(text: string, readings: Map<string, Reading>): AttestationEvidence {
  const {
    name = '',
    type = '',
    verdict,
    control,
    approvers,
    late,
    trust,
    issue,
    issueStatus,
    recorded = '2026-11-01',
    findings,
    signer,
    stated,
    decider,
    role = 'member',
    group,
  } = groupsOf(
    /^(?<name>\S+) (?<type>\S+) (?<verdict>passed|failed|overridden)(?: for (?<control>\S+))?(?: by (?<decider>\w+)(?: the (?<role>admin|member|reader))?(?: of (?<group>[\w-]+))?)?(?: approved by (?<approvers>.+?)(?<late> before the last commit)?)?(?: trusted by (?<trust>claimed|api_key|signature))?(?: with (?<issue>\S+) in status (?<issueStatus>\w+))?(?: recorded (?<recorded>[\d-]+))?(?: signed by (?<signer>\S+)(?: with (?<stated>[a-z]+=.+))?)?(?: with (?<findings>.+))?$/,
    text,
  );
  return {
    id: `attestation-${name}`,
    name,
    type,
    isCompliant: verdict !== 'failed',
    at: secondsOf(recorded),
    isOverride: verdict === 'overridden',
    reasons: [],
    trust: (trust as AttestationEvidence['trust'] | undefined) ?? 'api_key',
    control: control ?? null,
    pullRequests: type === 'pull_request' ? [pullRequestOf(approvers?.split(' and ') ?? [], late !== undefined)] : null,
    ...(decider !== undefined && { recordedBy: deciderOf(decider, role, group) }),
    ...(findings !== undefined && readAs(type, findings, readings)),
    ...(signer !== undefined && { statements: [statementOf(signer, tagsOf(stated))] }),
    ...(issue !== undefined &&
      issueStatus !== undefined && { issues: [{ key: issue, exists: true, status: issueStatus }] }),
  };
}

/** `ci` is a service account; the author is Ada, and Eve committed. */
function deciderOf(name: string, role: string, group: string | undefined): RecordedBy {
  return {
    kind: name === 'ci' ? 'service_account' : 'user',
    id: `id-of-${name}`,
    name,
    role: role as RecordedBy['role'],
    ...(group !== undefined && { groups: [group] }),
  };
}

function readAs(type: string, text: string, readings: Map<string, Reading>): Partial<AttestationEvidence> {
  if (type === 'vex') return { vex: vexOf(text, readings) };
  return type === 'sbom' ? { licenses: licensesOf(text) } : { findings: findingsOf(text, readings) };
}

/** `high CVE-2026-1 in lodash@4.17.20 fixed in 4.17.21 and low CVE-2026-2`, or `nothing found`. */
function findingsOf(text: string, readings: Map<string, Reading>): { set: string; count: number } {
  const findings = text === 'nothing found' ? [] : text.split(' and ').map(findingOf);
  const set = `set-${readings.size}`;
  readings.set(set, { kind: 'findings', findings, others: {} });
  return { set, count: findings.length };
}

/** `CVE-2026-1 not_affected in lodash since component_not_present and CVE-2026-2 affected`. */
function vexOf(text: string, readings: Map<string, Reading>): { set: string; count: number } {
  const statements = text.split(' and ').map((stated): VexEvidence => {
    const {
      id = '',
      status,
      component,
      justification,
    } = groupsOf(
      /^(?<id>\S+) (?<status>not_affected|affected|fixed|under_investigation)(?: in (?<component>\S+))?(?: since (?<justification>\S+))?$/,
      stated,
    );
    return {
      names: [id],
      status: status as VexEvidence['status'],
      ...(component !== undefined && { components: [component] }),
      ...(justification !== undefined && { justification }),
    };
  });
  const set = `set-${readings.size}`;
  readings.set(set, { kind: 'vex', format: 'OpenVEX', author: 'Acme', statements });
  return { set, count: statements.length };
}

/** `GPL-3.0-only in readline@8 and MIT in left-pad@1`. */
function licensesOf(text: string): LicenseEvidence[] {
  return text.split(' and ').map((one) => {
    const { expression = '', component = '' } = groupsOf(/^(?<expression>.+) in (?<component>\S+)$/, one);
    return { expression: expression === 'no license' ? null : expression, count: 1, components: [component] };
  });
}

function findingOf(text: string): FindingEvidence {
  const {
    severity,
    id = '',
    component,
    fixed,
  } = groupsOf(
    /^(?<severity>critical|high|medium|low|unknown) (?<id>\S+)(?: in (?<component>\S+))?(?: fixed in (?<fixed>\S+))?$/,
    text,
  );
  return {
    id,
    severity: severity as Severity,
    ...(component !== undefined && { component }),
    ...(fixed !== undefined && { fixed }),
    seen: secondsOf('2026-11-01'),
  };
}

function secondsOf(day: string): number {
  return Date.parse(`${day}T08:00:00Z`) / 1000;
}

const GITHUB = 'https://token.actions.githubusercontent.com';

/** A key by its name, or an identity of GitHub Actions, and what the statement says. */
function statementOf(signer: string, stated: Readonly<Record<string, string>>): StatementEvidence {
  const { predicate, builder, repository, ref, commit, materials, result, verifier } = stated;
  if (signer === 'nobody') return { predicateType: SLSA, isVerified: false, signers: [] };
  const isIdentity = signer.startsWith('https://');
  return {
    predicateType: predicate ?? SLSA,
    isVerified: true,
    signers: [
      isIdentity
        ? { kind: 'identity', identity: signer, issuer: GITHUB }
        : { kind: 'key', id: `key-${signer}`, name: signer },
    ],
    ...(builder !== undefined && { builder }),
    source: {
      ...(repository !== undefined && { repository }),
      ...(ref !== undefined && { ref }),
      ...(commit !== undefined && { commit: commit === 'same' ? HEAD : commit }),
    },
    ...(materials !== undefined && { materials: materials.split(',') }),
    ...(result !== undefined && { result: result as NonNullable<StatementEvidence['result']> }),
    ...(verifier !== undefined && { verifier }),
  };
}

const SLSA = 'https://slsa.dev/provenance/v1';

function pullRequestOf(approvers: readonly string[], isLate: boolean) {
  const commit = isLate ? HEAD.replace('c0ffee', 'decade') : HEAD;
  return {
    url: 'https://code.example.com/pull/7',
    author: 'ada',
    headCommit: HEAD,
    commitAuthors: ['ada', 'eve'],
    approvers: approvers.map((user) => ({ user, commit, state: 'APPROVED' })),
  };
}

function groupsOf(pattern: RegExp, text: string): Partial<Record<string, string>> {
  const match = pattern.exec(text);
  if (!match) throw new Error(`this cannot be read: ${text}`);
  return match.groups ?? {};
}

function tagsOf(text = ''): Record<string, string> {
  return Object.fromEntries(text.split(' ').flatMap((tag) => (tag === '' ? [] : [pairOf(tag)])));
}

function pairOf(tag: string): [string, string] {
  const [key = '', ...value] = tag.split('=');
  return [key, value.join('=')];
}
