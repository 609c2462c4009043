import { digestOf, type Json, objectOf } from '../json.ts';
import type { JournalEntry, PackagedLedger } from '../ledger.ts';
import type { PackageSubject } from '../subject.ts';
import type { ExpectedRecord } from './attestation.ts';
import { received } from './received.ts';

/** Returns the record that follows from the entry of an artifact. Its verdict is computed elsewhere. */
export function expectedArtifact(entry: JournalEntry, actual: Json, { org }: PackageSubject): ExpectedRecord {
  const payload = entry.payload ?? {};
  const sent = objectOf(actual['sent']);
  const isSent = digestOf(actual['sent']) === payload['content_sha256'];
  const record = {
    id: entry.subjectId,
    org,
    flow_name: actual['flow_name'],
    trail_name: payload['trail'],
    template_reference_name: payload['template_name'] ?? null,
    fingerprint: payload['fingerprint'],
    filename: payload['filename'],
    git_commit: payload['commit'] ?? null,
    commit_url: sent['commit_url'],
    build_url: payload['build_url'],
    repo_url: sent['repo_url'] ?? '',
    sent: actual['sent'],
    content_sha256: payload['content_sha256'],
    compliance_status: actual['compliance_status'],
    ...received(entry),
    created_by: entry.actor,
  };
  return { record, problems: isSent ? [] : ['sent is not what was recorded: it has another digest'] };
}

/** Returns the record that follows from the entry of an approval. */
export function expectedApproval(
  entry: JournalEntry,
  actual: Json,
  { org }: PackageSubject,
  ledger: PackagedLedger,
): ExpectedRecord {
  const payload = entry.payload ?? {};
  const sent = objectOf(actual['sent']);
  const isSent = digestOf(actual['sent']) === payload['content_sha256'];
  const record = {
    approval_number: payload['number'],
    org,
    flow_name: actual['flow_name'],
    trail_name: payload['trail'],
    artifact_fingerprint: payload['fingerprint'],
    artifact_name: nameIn(ledger, payload['fingerprint'], entry.index),
    state: payload['state'],
    reviewer: payload['reviewer'] ?? '',
    description: sent['description'] ?? '',
    environment: sent['environment'] ?? null,
    sent: actual['sent'],
    content_sha256: payload['content_sha256'],
    ...received(entry),
    created_by: entry.actor,
  };
  return { record, problems: isSent ? [] : ['sent is not what was recorded: it has another digest'] };
}

/** Of the report of the artifact that was the newest then. */
function nameIn(ledger: PackagedLedger, fingerprint: unknown, before: number): unknown {
  const reports = ledger
    .ofKind('artifact')
    .filter(({ index, payload }) => index < before && payload?.['fingerprint'] === fingerprint);
  return reports.at(-1)?.payload?.['filename'];
}
