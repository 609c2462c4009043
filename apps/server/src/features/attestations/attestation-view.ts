import { hash } from 'node:crypto';
import type * as api from '@waymark/contract';
import { isLate } from '../../platform/evidence-receipt.ts';
import { apiUrl } from '../../platform/http/links.ts';
import type { StoredRows } from '../../platform/stored-json.ts';
import { epochSeconds } from '../../platform/time.ts';
import { UNREADABLE_ATTESTATION } from '../trails/judgement.reads.ts';
import type { AttestationView } from './attestation.reads.ts';

/** The members of every kind; the rest is specific to the kind. */
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

type Sent = Partial<
  Pick<
    api.Attestation,
    'git_commit_info' | 'repo_info' | 'external_urls' | 'origin_url' | 'user_data' | 'description' | 'annotations'
  >
> & { target_artifacts?: string[]; attestation_data?: unknown };

/** Some kinds have one member for it, the others several beside the common ones. */
function ownData(sent: Sent): unknown {
  if (sent.attestation_data !== undefined) return sent.attestation_data;
  return Object.fromEntries(Object.entries(sent).filter(([key]) => !COMMON.has(key)));
}

interface StoredVerdict {
  reasons: string[];
  outcome?: api.AttestationOutcome;
  read: unknown;
  judged_by: Record<string, string>;
  override_reason?: string;
  erased?: NonNullable<api.Attestation['erased']>;
}

const UNREADABLE: StoredVerdict = { reasons: [UNREADABLE_ATTESTATION], read: null, judged_by: {} };

export function toAttestation(
  row: AttestationView,
  org: string,
  publicUrl: string,
  stored: StoredRows,
): api.Attestation {
  const sent = stored.read<Sent>(row.id, row.content, {});
  const workload = stored.read<api.Workload | null>(row.id, row.workload, null);
  const recordedBy = stored.read<api.Attestation['recorded_by']>(row.id, row.recorder, null);
  const verdict = stored.read(row.id, row.verdict, UNREADABLE);
  const isCompliant = row.is_compliant && verdict !== UNREADABLE;
  const self = apiUrl(publicUrl, `/attestations/${org}?attestation_id=${row.id}`);
  const inTrail = `/attestations/${org}/${row.flow_name}/trail/${row.trail_name}`;
  const evidence = apiUrl(publicUrl, `${inTrail}/attestation/${row.id}/evidence`);
  return {
    attestation_id: row.id,
    attestation_name: row.name,
    attestation_type: row.type,
    is_compliant: isCompliant,
    outcome: verdict.outcome ?? (isCompliant ? 'passed' : 'failed'),
    reasons: verdict.reasons,
    trust: row.trust,
    workload,
    org,
    flow_name: row.flow_name,
    trail_name: row.trail_name,
    artifact_fingerprint: row.fingerprint,
    target_artifacts: sent.target_artifacts ?? [],
    git_commit_info: sent.git_commit_info ?? null,
    repo_info: sent.repo_info ?? null,
    description: sent.description ?? '',
    annotations: sent.annotations ?? {},
    external_urls: sent.external_urls ?? {},
    origin_url: sent.origin_url ?? null,
    user_data: sent.user_data ?? {},
    attestation_data: ownData(sent),
    evaluation: verdict.read,
    type_version: row.type_version,
    control: row.control,
    overrides: row.overrides_id,
    override_reason: verdict.override_reason ?? null,
    judged_by: verdict.judged_by,
    ...contentOf(row, verdict),
    evidence_archive_fingerprint: row.attachment_sha256,
    evidence_archive_path: row.attachment_name,
    evidence_archive_size: row.attachment_size,
    has_audit_package: true,
    created_at: epochSeconds(row.created_at),
    claimed_at: row.claimed_at && epochSeconds(row.claimed_at),
    late: isLate(row.created_at, row.claimed_at),
    reported_by: row.created_by,
    recorded_by: recordedBy,
    ...stored.mark(row.id),
    html_url: `${publicUrl}/${org}/flows/${row.flow_name}/trails/${row.trail_name}?attestation_id=${row.id}`,
    _links: { self: { href: self }, ...(row.attachment_sha256 && { evidence: { href: evidence } }) },
  };
}

/** Once the content is erased, the verdict says who erased it. */
function contentOf({ content }: AttestationView, { erased }: StoredVerdict) {
  return { content_sha256: content === null ? null : hash('sha256', content), erased: erased ?? null };
}
