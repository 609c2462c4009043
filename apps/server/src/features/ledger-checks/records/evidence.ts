import { exactly, jsonText, named, orNull, type Row, seconds, textOf, trailNamed } from './expected.ts';
import type { ReadableEntry, RecordKind, RecordTable } from './record-kind.ts';
import type { Columns, RecordedRows } from './recorded-rows.ts';

/** Members that the entries about all evidence have. */
interface Reported {
  readonly flow: string;
  readonly trail: string;
  readonly content_sha256: string;
  readonly evidence_id?: string;
  readonly claimed_at?: number;
  readonly receipt?: number;
}

interface Attested extends Reported {
  readonly name: string;
  readonly type: string;
  readonly is_compliant: boolean;
  readonly trust: string;
  readonly fingerprint?: string;
  readonly target_artifact?: string;
  readonly commit?: string;
  readonly type_version?: number;
  readonly control?: string;
  readonly attachment?: { readonly sha256: string; readonly name: string; readonly size: number };
  readonly verdict_sha256: string;
  readonly workload_sha256?: string;
  readonly recorded_by?: object;
  readonly overrides?: string;
}

interface Artifact extends Reported {
  readonly fingerprint: string;
  readonly filename: string;
  readonly template_name?: string;
  readonly commit?: string;
  readonly build_url: string;
}

interface Approved extends Reported {
  readonly number: number;
  readonly fingerprint: string;
  readonly state: string;
  readonly reviewer?: string;
  readonly environment?: string;
}

/** The reply to a repeat of the report. */
const receipts: RecordTable = { table: 'evidence_receipt', of: 'subject_id', key: ['evidence_id'] };

export const attestations: RecordKind = {
  kind: 'attestation',
  tables: [{ table: 'attestation', of: 'id', key: ['id'], derive: deriveAttestation }, receipts],
  fold(entry, rows) {
    if (entry.type === 'attestation.erased') foldErasure(entry, rows);
    if (entry.type !== 'attestation.recorded' && entry.type !== 'attestation.overridden') return;
    const attested = entry.payload as unknown as Attested;
    const { attachment } = attested;
    rows.put(entry, 'attestation', entry.subject, {
      ...reported(entry, attested),
      name: attested.name,
      type: attested.type,
      is_compliant: attested.is_compliant,
      trust: attested.trust,
      fingerprint: orNull(attested.fingerprint),
      target_artifact: orNull(attested.target_artifact),
      commit_sha: orNull(attested.commit),
      type_version: orNull(attested.type_version),
      control: orNull(attested.control),
      overrides_id: orNull(attested.overrides),
      attachment_sha256: orNull(attachment?.sha256),
      attachment_name: orNull(attachment?.name),
      attachment_size: orNull(attachment?.size),
      verdict: textOf(attested.verdict_sha256),
      workload: attested.workload_sha256 === undefined ? null : textOf(attested.workload_sha256),
      recorder: attested.recorded_by === undefined ? null : jsonText(attested.recorded_by),
      created_at: exactly(entry.at),
      ...(attested.overrides === undefined && { counts_as: attested.type }),
    });
    foldReceipt(entry, attested, rows);
  },
};

/** What is left of an attestation whose content was erased. */
function foldErasure(entry: ReadableEntry, rows: RecordedRows): void {
  const left = entry.payload as unknown as Attested & { readonly counts_as: string; readonly branch?: string };
  rows.put(entry, 'attestation', entry.subject, {
    ...{ flow_id: named(left.flow), trail_id: trailNamed(left.flow, left.trail), content: null },
    ...{ name: left.name, type: left.type, counts_as: left.counts_as, trust: left.trust },
    is_compliant: left.is_compliant,
    verdict: textOf(left.verdict_sha256),
    fingerprint: orNull(left.fingerprint),
    target_artifact: orNull(left.target_artifact),
    commit_sha: orNull(left.commit),
    branch: orNull(left.branch),
    type_version: orNull(left.type_version),
    control: orNull(left.control),
    overrides_id: orNull(left.overrides),
    ...(left.receipt !== undefined && { receipt: left.receipt }),
  });
}

/** The branch is in the body that the digest is of. */
function deriveAttestation({ content }: Row): Columns {
  if (content === null) return {};
  const { git_commit_info: commit } = bodyOf(content) as { git_commit_info?: { branch?: string } };
  return { branch: commit?.branch || null };
}

export const artifacts: RecordKind = {
  kind: 'artifact',
  tables: [{ table: 'artifact', of: 'id', key: ['id'], derive: deriveArtifact }, receipts],
  fold(entry, rows) {
    if (entry.type !== 'artifact.reported') return;
    const artifact = entry.payload as unknown as Artifact;
    rows.put(entry, 'artifact', entry.subject, {
      ...reported(entry, artifact),
      fingerprint: artifact.fingerprint,
      filename: artifact.filename,
      template_name: orNull(artifact.template_name),
      commit_sha: orNull(artifact.commit),
      build_url: artifact.build_url,
    });
    foldReceipt(entry, artifact, rows);
  },
};

interface ArtifactBody {
  readonly commit_url?: string;
  readonly repo_url?: string;
  readonly git_commit_info?: { readonly branch?: string };
  readonly commits_list?: readonly { readonly branch?: string }[];
}

function deriveArtifact({ content }: Row): Columns {
  const { commit_url, repo_url, git_commit_info, commits_list } = bodyOf(content) as ArtifactBody;
  return {
    commit_url: commit_url ?? '',
    repo_url: repo_url ?? '',
    branch: git_commit_info?.branch ?? commits_list?.[0]?.branch ?? null,
  };
}

export const approvals: RecordKind = {
  kind: 'approval',
  tables: [{ table: 'approval', of: 'id', key: ['id'], derive: deriveApproval }, receipts],
  fold(entry, rows) {
    if (entry.type !== 'approval.recorded') return;
    const approved = entry.payload as unknown as Approved;
    rows.put(entry, 'approval', entry.subject, {
      ...reported(entry, approved),
      number: approved.number,
      fingerprint: approved.fingerprint,
      state: approved.state,
      reviewer: approved.reviewer ?? '',
      environment: approved.environment ?? null,
    });
    foldReceipt(entry, approved, rows);
  },
};

function deriveApproval({ content }: Row): Columns {
  const { description } = bodyOf(content) as { description?: string | null };
  return { description: description ?? '' };
}

function reported({ at, actorName }: ReadableEntry, { flow, trail, ...body }: Reported): Columns {
  return {
    flow_id: named(flow),
    trail_id: trailNamed(flow, trail),
    content: textOf(body.content_sha256),
    created_at: at,
    created_by: actorName,
    claimed_at: seconds(body.claimed_at),
    ...(body.receipt !== undefined && { receipt: body.receipt }),
  };
}

function foldReceipt(entry: ReadableEntry, { evidence_id }: Reported, rows: RecordedRows): void {
  if (evidence_id !== undefined)
    rows.put(entry, 'evidence_receipt', evidence_id, { subject_id: entry.subject, created_at: entry.at });
}

function bodyOf(content: unknown): object {
  try {
    const body: unknown = JSON.parse(String(content));
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}
