import {
  FormatError,
  type HeadProof,
  type LedgerVerdict,
  type ProvenEntry,
  parseEntry,
  parseHeadProof,
  type Sha256,
  type TrustPolicy,
  type VerifyOptions,
  verifyEntry,
  verifyHeadProof,
} from '@waymark/transparency';
import type { Findings } from './findings.ts';
import { isObject, type Json, parseJson } from './json.ts';
import type { ReadPackage } from './read-package.ts';

export const ENTRIES = 'ledger/entries.ndjson';
export const HEAD = 'ledger/region.tlog-proof';

/** A journal entry of the package whose content has the recorded digests. */
export interface JournalEntry {
  readonly id: string;
  readonly index: number;
  readonly type: string;
  readonly subjectKind: string;
  readonly subjectId: string;
  readonly subjectSeq: number;
  /** Seconds since 1970. */
  readonly at: number;
  /** Null once the entry is erased, as is the payload. */
  readonly actor: string | null;
  readonly payload: Json | null;
}

/** The journal entries of a package, each in the log of the org at one head. */
export interface PackagedLedger {
  readonly head: HeadProof | null;
  /** In the order of the log, as are those of a subject. */
  readonly all: readonly JournalEntry[];
  of(kind: string, id: string): readonly JournalEntry[];
  ofKind(kind: string): readonly JournalEntry[];
}

const NO_LEDGER: PackagedLedger = { head: null, all: [], of: () => [], ofKind: () => [] };

/** What entries are verified with. */
interface Against {
  readonly head: HeadProof;
  readonly hash: Sha256;
}

/** Reads and verifies the entries of a package. Those that fail are named, and left out. */
export function readLedger({ texts, hash }: ReadPackage, findings: Findings): PackagedLedger {
  const [entriesFile, headFile] = [texts.get(ENTRIES), texts.get(HEAD)];
  for (const path of texts.keys()) {
    if (path.startsWith('ledger/') && path !== ENTRIES && path !== HEAD)
      findings.add(path, 'does not belong to the package: no package has such a file');
  }
  if (!entriesFile && !headFile) return NO_LEDGER;
  if (!headFile) findings.add(HEAD, 'is missing, so the journal entries in the package prove nothing');
  if (!entriesFile) findings.add(ENTRIES, 'is missing, so nothing in the package is proven');
  const head = headFile && orFinding(findings, HEAD, () => parseHeadProof(headFile));
  return head && entriesFile ? ledgerOf(head, readEntries(entriesFile, { head, hash }, findings)) : NO_LEDGER;
}

function readEntries(file: Uint8Array, against: Against, findings: Findings): JournalEntry[] {
  const entries = linesOf(file, findings).flatMap((line, at) => entryOf(line, at + 1, against, findings));
  let last = -1;
  for (const { id, index } of entries) {
    if (index <= last) findings.add(ENTRIES, `entry ${id} is not in the order of the log, or occurs twice`);
    last = index;
  }
  return entries;
}

function ledgerOf(head: HeadProof, entries: readonly JournalEntry[]): PackagedLedger {
  const bySubject = Map.groupBy(entries, ({ subjectKind, subjectId }) => `${subjectKind} ${subjectId}`);
  const byKind = Map.groupBy(entries, ({ subjectKind }) => subjectKind);
  return {
    head,
    all: entries,
    of: (kind, id) => bySubject.get(`${kind} ${id}`) ?? [],
    ofKind: (kind) => byKind.get(kind) ?? [],
  };
}

function linesOf(bytes: Uint8Array, findings: Findings): string[] {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (text !== '' && !text.endsWith('\n')) findings.add(ENTRIES, 'does not end with a newline');
    return text === '' ? [] : text.replace(/\n$/, '').split('\n');
  } catch {
    findings.add(ENTRIES, 'is not valid UTF-8');
    return [];
  }
}

function entryOf(line: string, at: number, { head, hash }: Against, findings: Findings): JournalEntry[] {
  const entry = orFinding(findings, ENTRIES, () => parseEntry(line), `line ${at}: `);
  if (!entry) return [];
  const failed = verifyEntry(entry, head.org, hash).filter(({ outcome }) => outcome === 'failed');
  for (const { says } of failed) findings.add(ENTRIES, `line ${at}, ${entry.leaf.type} ${entry.leaf.id}: ${says}`);
  return failed.length > 0 ? [] : [toJournalEntry(entry)];
}

export function toJournalEntry({ leaf, index, actorName, payload }: ProvenEntry): JournalEntry {
  const parsed = payload === null ? null : parseJson(new TextEncoder().encode(payload));
  return {
    id: leaf.id,
    index,
    type: leaf.type,
    subjectKind: leaf.subject_kind,
    subjectId: leaf.subject_id,
    subjectSeq: leaf.subject_seq,
    at: Date.parse(leaf.at) / 1000,
    actor: actorName,
    payload: isObject(parsed) ? parsed : null,
  };
}

function orFinding<T>(findings: Findings, path: string, work: () => T, place = ''): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    findings.add(path, `${place}${error.message}`);
    return undefined;
  }
}

/** Verifies the head of the ledger with a trust policy; failed steps are findings. */
export async function verifyHead(
  head: HeadProof,
  policy: TrustPolicy,
  options: VerifyOptions,
  findings: Findings,
): Promise<LedgerVerdict> {
  const verdict = await verifyHeadProof(head, policy, options);
  for (const { outcome, says } of verdict.steps) if (outcome === 'failed') findings.add(HEAD, says);
  return verdict;
}
