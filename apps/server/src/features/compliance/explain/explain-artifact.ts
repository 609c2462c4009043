import { actionsFor, explainPolicy, fixesOf, imageInWords, inBrief, type ToExplain } from '@waymark/policy';
import type { RunCompliance } from '../../../platform/db/tables.ts';
import { type ExplanationNode, toNode } from './explanation-node.ts';

/** The verdict on an artifact in an environment. */
export interface ArtifactVerdict {
  readonly name: string;
  readonly fingerprint: string;
  readonly compliance: RunCompliance;
  /** One per policy, in the same order. */
  readonly decisions: readonly ToExplain[];
  /** The waiver in use. */
  readonly waiver: { readonly created_by: string; readonly description: string } | null;
  /** Seconds since 1970. */
  readonly since: number | null;
}

const STATUS = {
  compliant: 'COMPLIANT',
  'non-compliant': 'NON-COMPLIANT',
  waived: 'WAIVED',
  unknown: 'UNKNOWN',
} as const satisfies Record<RunCompliance, string>;

export function statusOf(compliance: RunCompliance): string {
  return STATUS[compliance];
}

const FINGERPRINT_SHOWN = 12;

/** `parent` is the path of the parent node. */
export function explainArtifact(parent: string, environment: string, verdict: ArtifactVerdict): ExplanationNode {
  const { name, fingerprint, compliance, decisions, since } = verdict;
  const id = `${parent}artifact:${name}@${fingerprint.slice(0, FINGERPRINT_SHOWN) || 'unknown'}`;
  const policies = decisions.map((decision) => explainPolicy(id, decision));
  const broken = policies.filter(({ status }) => status === 'NON-COMPLIANT');
  const wanted = compliance === 'non-compliant' ? fixesOf(decisions.map(({ judged }) => judged)) : [];
  const fixes = actionsFor([[id, wanted]]).map(({ fix }) => fix);
  const asked = decisions.map(({ identity }) => identity.name);
  return {
    id,
    kind: 'artifact',
    status: statusOf(compliance),
    needs:
      asked.length === 0 ? noPolicy(environment) : `Everything that ${askedBy(asked)} in environment '${environment}'.`,
    found: [],
    because: withImage(
      verdict,
      becauseOf(
        verdict,
        environment,
        broken.map(({ because }) => because),
      ),
    ),
    fix: fixes.length === 0 ? null : inBrief(fixes),
    since,
    children: policies.map(toNode),
  };
}

function becauseOf(
  { compliance, decisions, waiver }: ArtifactVerdict,
  environment: string,
  complaints: readonly string[],
): string {
  const complaint = inBrief(complaints);
  switch (compliance) {
    case 'unknown':
      return noPolicy(environment);
    case 'compliant':
      return praise(decisions.map(({ identity }) => identity.name));
    case 'waived':
      return `${waiver ? allowedBy(waiver) : 'It is waived.'} Without the waiver: ${complaint}`;
    case 'non-compliant':
      return complaint;
  }
}

/** All policies judge the same evidence. */
function withImage({ decisions: [first] }: ArtifactVerdict, because: string): string {
  const image = first ? imageInWords(first.evidence) : '';
  return image === '' || because.includes(image) ? because : `${because} ${image}`;
}

function praise(names: readonly string[]): string {
  const who = policiesInWords(names);
  return `${who.charAt(0).toUpperCase()}${who.slice(1)} ${names.length === 1 ? 'is' : 'are'} satisfied.`;
}

function allowedBy({ created_by, description }: NonNullable<ArtifactVerdict['waiver']>): string {
  return `Waived by ${created_by}: ${withPeriod(description)}`;
}

function withPeriod(text: string): string {
  const trimmed = text.trim();
  return /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

export function noPolicy(environment: string): string {
  return `No policy is attached to environment '${environment}', so nothing is judged.`;
}

const MAX_NAMES = 3;

/** "policy 'a'", "policies 'a' and 'b'", "20 policies". */
function policiesInWords(names: readonly string[]): string {
  if (names.length > MAX_NAMES) return `${names.length} policies`;
  return `${names.length === 1 ? 'policy' : 'policies'} ${listed(names)}`;
}

/** "policy 'a' asks for", "20 policies ask for". */
export function askedBy(names: readonly string[]): string {
  return `${policiesInWords(names)} ${names.length === 1 ? 'requires' : 'require'}`;
}

/** "'a'", "'a', 'b' and 'c'", "'a', 'b', 'c' and 4 more". */
export function listed(names: readonly string[]): string {
  const left = names.length - MAX_NAMES;
  const all = [...names.slice(0, MAX_NAMES).map((name) => `'${name}'`), ...(left > 0 ? [`${left} more`] : [])];
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}
