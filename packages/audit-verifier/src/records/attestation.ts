import { digestOf, type Json, objectOf, sha256Of, textOf } from '../json.ts';
import type { JournalEntry } from '../ledger.ts';
import type { PackageSubject } from '../subject.ts';
import { received } from './received.ts';

/** The members of every kind of attestation; the rest is specific to the kind. */
const COMMON = new Set([
  'attestation_name',
  'target_artifacts',
  'artifact_fingerprint',
  'git_commit_info',
  'repo_info',
  'external_urls',
  'origin_url',
  'user_data',
  'description',
  'annotations',
]);

export interface ExpectedRecord {
  /** What the record must be. Members whose digest differs are those of the record. */
  readonly record: Json;
  /** What has another digest than was recorded. */
  readonly problems: readonly string[];
}

/** Returns the record that follows from the entry of an attestation and the content whose digest the entry has. */
export function expectedAttestation(entry: JournalEntry, actual: Json, subject: PackageSubject): ExpectedRecord {
  const payload = entry.payload ?? {};
  const problems: string[] = [];
  const isErased = entry.type === 'attestation.erased';
  if (!isErased && digestOf(actual['sent']) !== payload['content_sha256'])
    problems.push('sent is not what was recorded: it has another digest');
  const isVerdict = digestOf(verdictOf(actual, isErased)) === payload['verdict_sha256'];
  if (!isVerdict) problems.push('reasons, outcome, evaluation, override_reason, or judged_by is not what was recorded');
  const workload = actual['workload'] ?? null;
  const workloadDigest = workload === null ? undefined : digestOf(workload);
  if (!isErased && workloadDigest !== payload['workload_sha256'])
    problems.push('workload is not what was recorded: it has another digest');
  return { record: { ...recordOf(entry, actual, subject), workload }, problems };
}

/** The stored verdict: what else the entry has no member for, and only its digest. */
function verdictOf(record: Json, isErased: boolean): Json {
  const { outcome, override_reason: why, erased } = record;
  return {
    reasons: record['reasons'],
    ...(outcome !== 'passed' && outcome !== 'failed' && { outcome }),
    read: record['evaluation'] ?? null,
    judged_by: record['judged_by'],
    ...(why !== null && { override_reason: why }),
    ...(isErased && { erased }),
  };
}

function recordOf(entry: JournalEntry, actual: Json, { org, exportedFrom }: PackageSubject): Json {
  const payload = entry.payload ?? {};
  const id = entry.subjectId;
  const flow = textOf(actual['flow_name']);
  const trail = textOf(payload['trail']);
  const isErased = entry.type === 'attestation.erased';
  return {
    attestation_id: id,
    attestation_name: payload['name'],
    attestation_type: payload['type'],
    is_compliant: payload['is_compliant'],
    outcome: outcomeOf(actual['outcome'], payload['is_compliant']),
    reasons: actual['reasons'],
    trust: payload['trust'],
    org,
    flow_name: flow,
    trail_name: trail,
    artifact_fingerprint: payload['fingerprint'] ?? null,
    ...sentMembers(objectOf(actual['sent'])),
    evaluation: actual['evaluation'],
    type_version: payload['type_version'] ?? null,
    control: payload['control'] ?? null,
    overrides: payload['overrides'] ?? null,
    override_reason: entry.type === 'attestation.overridden' ? payload['reason'] : (actual['override_reason'] ?? null),
    judged_by: actual['judged_by'],
    content_sha256: payload['content_sha256'] ?? null,
    ...(Object.hasOwn(actual, 'erased') && { erased: isErased ? actual['erased'] : null }),
    has_audit_package: true,
    ...(isErased ? unerased(entry, actual) : { ...received(entry), reported_by: entry.actor }),
    // Packages from before it was recorded do not have the member.
    ...((Object.hasOwn(actual, 'recorded_by') || payload['recorded_by'] !== undefined) && {
      recorded_by: payload['recorded_by'] ?? null,
    }),
    html_url: `${exportedFrom}/${org}/flows/${flow}/trails/${trail}?attestation_id=${id}`,
    sent: actual['sent'],
    ...attached(payload, actual, {
      self: `${exportedFrom}/api/v2/attestations/${org}?attestation_id=${id}`,
      evidence: `${exportedFrom}/api/v2/attestations/${org}/${flow}/trail/${trail}/attestation/${id}/evidence`,
    }),
  };
}

/** Who reported it, and the time that the sender stated, were in the entry that is erased. */
function unerased(entry: JournalEntry, { claimed_at: claimedAt, late, reported_by: by }: Json): Json {
  return { created_at: received(entry).created_at, claimed_at: claimedAt, late, reported_by: by };
}

/** Outcomes besides passed and failed are part of the verdict, whose digest was compared. */
function outcomeOf(actual: unknown, isCompliant: unknown): unknown {
  if (actual !== 'passed' && actual !== 'failed') return actual;
  return isCompliant === true ? 'passed' : 'failed';
}

const DEFAULTS: Json = {
  target_artifacts: [],
  git_commit_info: null,
  repo_info: null,
  description: '',
  annotations: {},
  external_urls: {},
  origin_url: null,
  user_data: {},
};

/** What the record repeats of what was sent. */
function sentMembers(sent: Json): Json {
  const members = Object.entries(DEFAULTS).map(([key, otherwise]) => [key, sent[key] ?? otherwise]);
  return { ...Object.fromEntries(members), attestation_data: ownData(sent) };
}

function attached(payload: Json, actual: Json, links: { readonly self: string; readonly evidence: string }): Json {
  const file = objectOf(payload['attachment']);
  const isAttached = typeof file['sha256'] === 'string';
  return {
    evidence_archive_fingerprint: file['sha256'] ?? null,
    evidence_archive_path: file['name'] ?? null,
    evidence_archive_size: file['size'] ?? null,
    _links: { self: { href: links.self }, ...(isAttached && { evidence: { href: links.evidence } }) },
    attachment: isAttached ? attachmentPath(actual['attachment'], textOf(file['sha256'])) : null,
  };
}

/** The name of an attached file in a package is not recorded; its folder is. */
function attachmentPath(actual: unknown, sha256: string): string {
  const folder = `attachments/${sha256}/`;
  return textOf(actual).startsWith(folder) ? textOf(actual) : folder;
}

/** Some kinds have one member for it, the others several beside the common ones. */
function ownData(sent: Json): unknown {
  if (sent['attestation_data'] !== undefined) return sent['attestation_data'];
  return Object.fromEntries(Object.entries(sent).filter(([key]) => !COMMON.has(key)));
}

/** Returns whether a schema is the one that was recorded. */
export function isSchema(text: unknown, sha256: unknown): boolean {
  if (sha256 === null || text === null) return text === sha256;
  return typeof text === 'string' && sha256Of(text) === sha256;
}
