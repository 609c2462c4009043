import type { ArtifactEvidence, AttestationEvidence, DecisionContext, FlowEvidence } from '@waymark/policy';

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
}

/** `as shop:7, in lab [use=playground], reported to shop [risk=high]: unit-tests junit passed; to audit`. */
export function readEvidenceLine(line: string): EvidenceLine {
  const {
    as,
    name,
    tags,
    known = '',
  } = /^(?:as (?<as>\S+), )?(?:in (?<name>[\w-]+)(?: \[(?<tags>[^\]]*)\])?, )?(?<known>.+)$/.exec(line)?.groups ?? {};
  return {
    evidence: { fingerprint: known === 'without a digest' ? '' : FINGERPRINT, flows: flowsOf(known) },
    context: { artifactName: as ?? 'shop:7', environment: { name: name ?? 'production', tags: tagsOf(tags) } },
  };
}

function flowsOf(known: string): FlowEvidence[] {
  if (known === 'not reported' || known === 'without a digest') return [];
  if (!known.startsWith('reported to ')) throw new Error(`nothing is known of such evidence: ${known}`);
  return known.slice('reported to '.length).split('; to ').map(flowOf);
}

function flowOf(text: string): FlowEvidence {
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
    ...trailOf(trail),
    attestations: list?.split(', ').map(attestationOf) ?? [],
  };
}

function trailOf(text = '') {
  if (!isTrail(text)) throw new Error(`no trail is ${text}`);
  return TRAILS[text];
}

function isTrail(text: string): text is keyof typeof TRAILS {
  return text in TRAILS;
}

function attestationOf(text: string): AttestationEvidence {
  const {
    name = '',
    type = '',
    verdict,
    control,
    approvers,
    late,
    trust,
  } = groupsOf(
    /^(?<name>\S+) (?<type>\S+) (?<verdict>passed|failed|overridden)(?: for (?<control>\S+))?(?: approved by (?<approvers>.+?)(?<late> before the last commit)?)?(?: trusted by (?<trust>claimed|api_key|signature))?$/,
    text,
  );
  return {
    id: `attestation-${name}`,
    name,
    type,
    isCompliant: verdict !== 'failed',
    at: 1_700_000_000,
    isOverride: verdict === 'overridden',
    reasons: [],
    trust: (trust as AttestationEvidence['trust'] | undefined) ?? 'api_key',
    control: control ?? null,
    pullRequests: type === 'pull_request' ? [pullRequestOf(approvers?.split(' and ') ?? [], late !== undefined)] : null,
  };
}

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
  const [key = '', value = ''] = tag.split('=');
  return [key, value];
}
