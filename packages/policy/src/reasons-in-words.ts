import { counted } from './in-words.ts';
import type { AttestationRequirement, RequirementRule } from './rule.ts';
import type { TrustLevel } from './trust-level.ts';

const MAX_REASONS = 3;
const MAX_SENTENCES = 3;
const MAX_SENTENCE_LENGTH = 300;
const MAX_ACCOUNT_LENGTH = 2000;
const SHORT_FINGERPRINT = 12;

/** The problem, following the requirement of the policy, and the fix. */
export interface Complaint {
  readonly found: string;
  readonly fix: string;
}

/** How the author of an attestation is known. */
export const TRUST_IN_WORDS: Readonly<Record<TrustLevel, string>> = {
  claimed: 'claimed by the reporter',
  api_key: 'reported with an API key',
  workload_identity: 'reported by a verified workload identity',
  signature: 'signed by a key or identity that the org trusts',
};

/** A rule, without where it applies. */
export type Asked = Pick<RequirementRule, 'kind'> | AskedAttestation;
type AskedAttestation = Omit<AttestationRequirement, 'if' | 'minDeciders' | 'notBy' | 'definition'>;

/** The beginning of a reason. */
export function demandOf(policyName: string, asked: Asked): string {
  return `Policy '${policyName}' requires ${needsOf(asked)}.`;
}

/** The requirement of a rule, to follow "requires". */
export function needsOf(asked: Asked): string {
  if (asked.kind === 'attestation') return needsOfAttestation(asked);
  return asked.kind === 'provenance' ? 'provenance' : 'a compliant trail';
}

function needsOfAttestation(rule: AskedAttestation): string {
  const { mustBeCompliant, minApprovals, minTrust, demands } = rule;
  return [
    mustBeCompliant ? 'a compliant ' : article(rule),
    subjectOf(rule),
    minApprovals === null ? '' : ` with ${counted(minApprovals, 'approval')} by people who did not write it`,
    minTrust === null ? '' : `, at least ${TRUST_IN_WORDS[minTrust]}`,
    ...demands.map(({ inWords }) => inWords),
    rule.forControl === null || isDecision(rule) ? '' : `, for control '${rule.forControl}'`,
  ].join('');
}

/** "an attestation named 'unit-tests' of type junit", "a decision on control 'SDLC-7'". */
export function askedFor(rule: AttestationRequirement): string {
  return `${article(rule)}${subjectOf(rule)}`;
}

/** Whether a decision on a control is required. Evidence of any other type counts for a control as it is. */
export function isDecision({ type, forControl }: AskedAttestation): boolean {
  return type === 'decision' && forControl !== null;
}

function article(rule: AskedAttestation): string {
  return isDecision(rule) ? 'a ' : 'an ';
}

function subjectOf(rule: AskedAttestation): string {
  const { name, type, forControl } = rule;
  const named = name === '*' ? '' : ` named '${name}'`;
  if (isDecision(rule)) return `decision${named} on control '${forControl}'`;
  return `attestation${named} of ${type === '*' ? 'any type' : `type ${type}`}`;
}

/** Evidence that is missing in several flows is needed in one of them only. */
export function oneIsEnough(fix: string, flows: number): string {
  return `${fix} One of the ${flows} flows is enough.`;
}

export function withoutChoice(fix: string): string {
  return fix.replace(/ One of the \d+ flows is enough\.$/, '');
}

/** Distinct sentences, and the number of the others. */
export function inBrief(sentences: readonly string[]): string {
  const distinct = [...new Set(sentences)];
  const left = distinct.length - MAX_SENTENCES;
  return [...distinct.slice(0, MAX_SENTENCES), ...(left > 0 ? [`And ${left} more.`] : [])].join(' ');
}

export function shortFingerprint(fingerprint: string): string {
  return cut(fingerprint, SHORT_FINGERPRINT);
}

/** Given reasons may be blank, lack a period, and have any length. */
export function withReasons(statement: string, reasons: readonly string[]): string {
  const sentences = reasons
    .map((reason) => asSentence(reason, MAX_SENTENCE_LENGTH))
    .filter((sentence) => sentence !== '');
  if (sentences.length === 0) return `${statement}.`;
  const left = sentences.length - MAX_REASONS;
  const rest = left > 0 ? [`And ${counted(left, 'more reason')}.`] : [];
  return `${statement}: ${[...sentences.slice(0, MAX_REASONS), ...rest].join(' ')}`;
}

/** The reason that a verdict gives itself, which may have several sentences. */
export function withAccount(statement: string, account: string): string {
  const text = asSentence(account, MAX_ACCOUNT_LENGTH);
  return text === '' ? `${statement}.` : `${statement}: ${text}`;
}

function asSentence(text: string, maxLength: number): string {
  const trimmed = text.trim();
  if (trimmed.length > maxLength) return `${cut(trimmed, maxLength)}…`;
  return trimmed === '' || /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** A surrogate half, left by the cut, could not be stored. */
function cut(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}
