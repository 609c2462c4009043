import type { LedgerEntry } from '@waymark/contract';
import {
  FormatError,
  type LedgerProof,
  type ProofStep,
  parseLedgerProof,
  parsePolicy,
  verifyLedgerProof,
} from '@waymark/transparency';
import type { ShownValue } from './proof-subject.ts';

/** One thing that was verified, in plain words. */
export interface VerifiedStep {
  readonly title: string;
  readonly outcome: ProofStep['outcome'];
  readonly says: string;
}

export interface Verification {
  readonly ok: boolean;
  readonly steps: readonly VerifiedStep[];
  /** What was recorded, according to the proof; undefined if the file is no proof. */
  readonly proof: LedgerProof | undefined;
}

interface Expected {
  /** As the server listed it. */
  readonly entry: LedgerEntry;
  readonly shows: readonly ShownValue[];
}

const TITLES: Readonly<Record<ProofStep['name'], string>> = {
  content: 'Content',
  org_log: 'Place in the log of the org',
  region_log: 'Place in the region log',
  signature: 'Signature of the log',
  witnesses: 'Witnesses',
  time_stamp: 'Time stamp',
};

/** Verifies, without the server, that a proof is of what a page shows, and that it holds under a trust policy. */
export async function verifyEntry(
  file: Uint8Array | string,
  policy: string,
  { entry, shows }: Expected,
): Promise<Verification> {
  const proof = readOr('Proof file', () => parseLedgerProof(file));
  if ('failed' in proof) return { ok: false, steps: [proof.failed], proof: undefined };
  const trust = readOr('Trust policy', () => parsePolicy(policy));
  if ('failed' in trust) return { ok: false, steps: [trust.failed], proof: proof.value };
  const verdict = await verifyLedgerProof(proof.value, trust.value);
  const steps = [
    verifyIdentity(proof.value, entry),
    verifyPage(proof.value, shows),
    ...verdict.steps.map(({ name, outcome, says }) => ({ title: TITLES[name], outcome, says })),
  ];
  return { ok: steps.every(({ outcome }) => outcome !== 'failed'), steps, proof: proof.value };
}

/** A valid proof of another entry must not pass for the one that was asked for. */
function verifyIdentity({ entry: { leaf, index } }: LedgerProof, expected: LedgerEntry): VerifiedStep {
  const title = 'Entry';
  const differing = [
    ...(leaf.id === expected.entry_id ? [] : ['id']),
    ...(leaf.type === expected.type ? [] : ['type']),
    ...(index === expected.index ? [] : ['index']),
    ...(Math.floor(Date.parse(leaf.at) / 1000) === Math.floor(expected.recorded_at) ? [] : ['time']),
  ];
  if (differing.length === 0)
    return { title, outcome: 'ok', says: 'The proof is of this entry: it has the same id, type, and time' };
  return { title, outcome: 'failed', says: `The proof is of another entry: it has another ${differing.join(', ')}` };
}

/** What the database says now, against what was recorded. */
function verifyPage({ entry: { leaf, payload } }: LedgerProof, shows: readonly ShownValue[]): VerifiedStep {
  const title = 'This page';
  if (payload === null)
    return { title, outcome: 'not_checked', says: 'The content was erased, so nothing can be compared with this page' };
  const recorded = fieldsOf(payload);
  const compared = shows.filter(
    ({ types, field, value }) => value !== null && leaf.type.startsWith(types) && (recorded[field] ?? null) !== null,
  );
  const differing = compared.filter(({ field, value }) => recorded[field] !== value);
  if (differing.length > 0) {
    const what = differing.map(({ label, value, field }) => `${label} ${value}, recorded was ${recorded[field]}`);
    return { title, outcome: 'failed', says: `This page shows something else than was recorded: ${what.join('; ')}` };
  }
  if (compared.length === 0)
    return { title, outcome: 'not_checked', says: 'The entry has nothing that this page shows. Read it below' };
  const labels = compared.map(({ label }) => label);
  return { title, outcome: 'ok', says: `This page shows what was recorded: the same ${listed(labels)}` };
}

function fieldsOf(payload: string): Readonly<Record<string, unknown>> {
  try {
    const fields: unknown = JSON.parse(payload);
    return typeof fields === 'object' && fields !== null ? (fields as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function listed(words: readonly string[]): string {
  if (words.length < 3) return words.join(' and ');
  return `${words.slice(0, -1).join(', ')}, and ${words.at(-1)}`;
}

function readOr<T>(title: string, read: () => T): { readonly value: T } | { readonly failed: VerifiedStep } {
  try {
    return { value: read() };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return { failed: { title, outcome: 'failed', says: `It cannot be read: ${error.message}` } };
  }
}
