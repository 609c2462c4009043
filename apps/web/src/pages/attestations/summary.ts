import type { Attestation } from '@waymark/contract';
import { counted } from '../../lib/counted.ts';
import {
  customOf,
  type Findings,
  findingsOf,
  issuesOf,
  LEVELS,
  pullRequestsOf,
  sbomOf,
  sonarOf,
  statementOf,
  testsOf,
  vexOf,
} from './evidence.ts';
import { dutiesOf, listed } from './separation-of-duties.ts';

/** A piece of evidence in a few words; the name of its type when there is nothing better. */
export function summaryOf(attestation: Attestation): string {
  const kind = kindOf(attestation.attestation_type);
  return SUMMARIES[kind]?.(attestation) ?? typeWords(attestation.attestation_type);
}

type Summary = (attestation: Attestation) => string | undefined;

const SUMMARIES: Readonly<Record<string, Summary>> = {
  junit: (attestation) => {
    const tests = testsOf(attestation);
    if (attestation.outcome === 'no_tests') return 'No tests ran';
    if (!tests) return undefined;
    const bad = tests.failures + tests.errors;
    return bad > 0
      ? `${bad} of ${counted(tests.total, 'test')} failed`
      : `${counted(tests.total, 'test')}, none failed`;
  },
  snyk: (attestation) => {
    const findings = findingsOf(attestation);
    return findings && inLevels(findings);
  },
  sonar: (attestation) => {
    const status = sonarOf(attestation)?.qualityGate?.status;
    return status === undefined ? undefined : `Quality gate ${status}`;
  },
  jira: (attestation) => {
    const issues = issuesOf(attestation);
    return issues && (issues.length === 0 ? 'No issues' : issues.map(({ issue_id }) => issue_id).join(', '));
  },
  pull_request: (attestation) => {
    const pulls = pullRequestsOf(attestation);
    if (!pulls) return undefined;
    const approvers = [...new Set(pulls.flatMap((pull) => dutiesOf(pull).approvers))];
    const names = pulls.map(({ url }) => pullRequestName(url)).join(', ');
    if (pulls.length === 0) return 'No pull requests';
    return approvers.length === 0 ? `${names}, not approved` : `${names}, approved by ${listed(approvers)}`;
  },
  sbom: (attestation) => {
    const sbom = sbomOf(attestation);
    return sbom && counted(sbom.component_count, 'component');
  },
  vex: (attestation) => {
    const vex = vexOf(attestation);
    return vex && counted(vex.statement_count, 'VEX statement');
  },
  in_toto: (attestation) => {
    const statement = statementOf(attestation);
    return statement && predicateName(statement.statement.predicateType);
  },
  custom: (attestation) => {
    const rules = customOf(attestation)?.rules ?? [];
    if (rules.length === 0) return undefined;
    return `${rules.filter(({ passed }) => passed).length} of ${counted(rules.length, 'rule')} pass`;
  },
  override: ({ attestation_data: data }) => {
    const original = typeof data === 'object' && data !== null && 'original_attestation_type' in data;
    return original ? `Override of ${typeWords(String(data.original_attestation_type))}` : undefined;
  },
  decision: ({ control }) => (control === null ? undefined : `On control ${control}`),
};

function inLevels({ counts, total }: Findings): string {
  if (total === 0) return 'No findings';
  const parts = LEVELS.filter((level) => counts[level] > 0).map((level) => counted(counts[level], level));
  return parts.join(', ');
}

/** `custom:coverage` is of the kind `custom`. */
export function kindOf(type: string): string {
  return type.split(':')[0] ?? type;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  generic: 'Generic',
  junit: 'Tests',
  snyk: 'Scan',
  sonar: 'Quality gate',
  jira: 'Issues',
  pull_request: 'Pull request',
  decision: 'Decision',
  system: 'Decision',
  override: 'Override',
  sbom: 'SBOM',
  in_toto: 'Signed statement',
  vex: 'VEX',
  '*': 'Any type',
};

export function typeWords(type: string): string {
  if (type.startsWith('custom:')) return type.slice('custom:'.length);
  return TYPE_WORDS[type] ?? type;
}

/** Such as `PR 812` of `https://git.example.com/acme/web/pull/812`. */
export function pullRequestName(url: string): string {
  const number = /(\d+)\/?$/.exec(url.split(/[?#]/)[0] ?? '')?.[1];
  return number === undefined ? 'Pull request' : `PR ${number}`;
}

/** The last meaningful part of an address, such as `provenance v1`. */
export function predicateName(predicateType: string): string {
  const parts = predicateType.replace(/^https?:\/\//, '').split('/');
  const last = parts.at(-1) ?? predicateType;
  const before = parts.at(-2);
  return /^v?\d/.test(last) && before !== undefined ? `${before} ${last}` : last;
}
