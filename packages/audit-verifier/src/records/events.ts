import { canonicalJson } from '../canonical-json.ts';
import type { Findings } from '../findings.ts';
import { isObject, type Json, textOf } from '../json.ts';
import type { JournalEntry } from '../ledger.ts';
import { received } from './received.ts';

export interface EntriesOfTrail {
  readonly trail: readonly JournalEntry[];
  readonly artifacts: readonly JournalEntry[];
  /** Of an erased attestation, that of its erasure. */
  readonly attestations: readonly JournalEntry[];
  readonly approvals: readonly JournalEntry[];
  /** Reports of artifacts by which attestations name one. */
  readonly named: readonly JournalEntry[];
}

/** Compares the history in a package with the one that its entries tell. `isComplete` if no entry is missing. */
export function checkEvents(
  pages: readonly { readonly path: string; readonly value: readonly unknown[] }[],
  entries: EntriesOfTrail,
  isComplete: boolean,
  findings: Findings,
): void {
  const erased = new Set(entries.attestations.flatMap(({ type, subjectId }) => (type === ERASED ? [subjectId] : [])));
  const left = new Map<string, number>();
  const count = (key: string, by: number) => left.set(key, (left.get(key) ?? 0) + by);
  for (const event of expectedEvents(entries)) count(canonicalJson(comparable(event, erased)), 1);
  const listed = pages.flatMap(({ path, value }) => value.map((event, at) => ({ path, event, at })));
  for (const { path, event, at } of listed) {
    const text = canonicalOf(isObject(event) ? comparable(event, erased) : event);
    if ((left.get(text) ?? 0) > 0) count(text, -1);
    else if (isComplete) findings.add(path, `event ${at + 1} is not what was recorded`);
  }
  const missing = [...left.values()].reduce((sum, count) => sum + count, 0);
  if (missing > 0)
    findings.add('records/events', `lacks ${missing} of the events that were recorded, or has them changed`);
}

const ERASED = 'attestation.erased';

/** Who reported an erased attestation, and the time that the sender stated, are erased in the journal. */
function comparable(event: Json, erased: ReadonlySet<unknown>): Json {
  if (!erased.has(event['attestation_id'])) return event;
  const { user: _, claimed_at: __, late: ___, ...rest } = event;
  return rest;
}

/** No event has a canonical form that is empty. */
function canonicalOf(value: unknown): string {
  try {
    return canonicalJson(value);
  } catch {
    return '';
  }
}

function expectedEvents({ trail, artifacts, attestations, approvals, named }: EntriesOfTrail): Json[] {
  return [
    ...trail.map(trailEvent),
    ...artifacts.map(artifactEvent),
    ...attestations.map((entry) => attestationEvent(entry, named)),
    ...approvals.map(approvalEvent),
  ];
}

function common(entry: JournalEntry, commit: unknown) {
  const { created_at: timestamp, ...rest } = received(entry);
  return {
    timestamp,
    user: entry.actor,
    ...rest,
    git_commit_info: typeof commit === 'string' ? { sha1: commit } : null,
  };
}

function trailEvent(entry: JournalEntry): Json {
  const isFirst = entry.type === 'trail.begun';
  const changes = isFirst ? [] : entry.payload?.['changes'];
  return { ...common(entry, null), type: isFirst ? 'trail_reported' : 'trail_updated', changes };
}

function artifactEvent(entry: JournalEntry): Json {
  const payload = entry.payload ?? {};
  const commit = payload['commit'] ?? null;
  return {
    ...common(entry, commit),
    type: 'artifact_creation_reported',
    artifact_name: payload['filename'],
    template_reference_name: payload['template_name'] ?? '',
    artifact_id: entry.subjectId,
    artifact_fingerprint: payload['fingerprint'],
    git_commit: commit,
  };
}

function attestationEvent(entry: JournalEntry, artifacts: readonly JournalEntry[]): Json {
  const payload = entry.payload ?? {};
  const { fingerprint = null, target_artifact: target = null } = payload;
  const name = target ?? (fingerprint === null ? null : nameOf(textOf(fingerprint), artifacts));
  const type =
    fingerprint !== null
      ? 'artifact_attestation_reported'
      : target !== null
        ? 'trail_attestation_for_artifact_reported'
        : 'trail_attestation_reported';
  return {
    ...common(entry, payload['commit']),
    type,
    attestation_id: entry.subjectId,
    attestation_type: payload['type'],
    template_reference_name: payload['name'],
    target_artifact: name,
    artifact_fingerprint: fingerprint,
    is_compliant: payload['is_compliant'],
  };
}

/** The name of the newest report of an artifact. */
function nameOf(fingerprint: string, artifacts: readonly JournalEntry[]): unknown {
  const [newest] = artifacts
    .filter(({ payload }) => payload?.['fingerprint'] === fingerprint)
    .toSorted((a, b) => Number(b.payload?.['receipt']) - Number(a.payload?.['receipt']));
  return newest ? (newest.payload?.['template_name'] ?? newest.payload?.['filename']) : null;
}

function approvalEvent(entry: JournalEntry): Json {
  const payload = entry.payload ?? {};
  return {
    ...common(entry, null),
    type: 'artifact_approval_reported',
    state: payload['state'],
    approval_number: payload['number'],
    reviewer: payload['reviewer'] ?? '',
    artifact_fingerprint: payload['fingerprint'],
  };
}
