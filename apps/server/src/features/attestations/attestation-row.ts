import { hash } from 'node:crypto';
import type { RecordedBy } from '@waymark/policy';
import canonicalize from 'canonicalize';
import type { Ctx } from '../../platform/ctx.ts';
import { type OpenPayload, sealWithoutReceipt } from '../../platform/journal/open-payload.ts';
import { present } from '../../platform/present.ts';
import { attestationOverridden, attestationRecorded } from './attestation.entries.ts';
import type { NewAttestation } from './attestation.store.ts';
import type { AttestationDraft, CompletePlace, RecordedAttestation } from './attestation-draft.ts';

/** Everything that one attestation writes: its row, its journal entry, and the receipt of its evidence id. */
export function rowOf(
  ctx: Ctx,
  draft: AttestationDraft,
  place: CompletePlace,
  repositoryId: string | null,
  recorded: RecordedAttestation,
): NewAttestation {
  const { report, destination, verdict, overridden } = draft;
  const { attachment, claim, override } = report;
  const content = canonicalize(present(report.sent)) ?? '';
  const verdictText = verdictJson(draft);
  const workload = ctx.credential?.workload ?? null;
  const trust = trustOf(draft, workload);
  const entry = override ? attestationOverridden : attestationRecorded;
  const sealed = sealOf(draft, place, { content, verdictText, trust, workload });
  return {
    org_id: ctx.org,
    id: recorded.id,
    flow_id: place.flow_id,
    trail_id: place.trail_id,
    trail_receipt: place.trail_receipt,
    name: report.sent.attestation_name,
    type: report.type,
    counts_as: override?.type ?? report.type,
    is_compliant: verdict.isCompliant,
    fingerprint: destination.fingerprint,
    target_artifact: destination.target_artifact,
    commit_sha: destination.commit_sha,
    branch: report.sent.git_commit_info?.branch || null,
    overrides_id: overridden?.id ?? null,
    type_version: verdict.typeVersion ?? null,
    control: verdict.control ?? null,
    trust,
    content,
    verdict: verdictText,
    attachment_sha256: attachment?.sha256 ?? null,
    attachment_name: attachment?.filename ?? null,
    attachment_size: attachment?.size ?? null,
    repository_id: repositoryId,
    created_at: ctx.now(),
    claimed_at: draft.claimedAt,
    evidence_id: claim?.evidenceId ?? null,
    request_digest: claim?.digest.toString('hex') ?? null,
    answer: claim ? `${recorded.placement} ${recorded.text}` : null,
    entry_id: ctx.newId(),
    entry_type: entry.type,
    entry_version: entry.version,
    actor_kind: ctx.actor.kind,
    actor_id: ctx.actor.id,
    actor_name: ctx.actor.name,
    workload,
    recorder: recorderText(draft),
    payload: sealed.payload,
    nonce: sealed.nonce.toString('hex'),
    inner_key: sealed.innerKey.toString('hex'),
    outer_key: sealed.outerKey.toString('hex'),
  };
}

function verdictJson({ verdict, report }: AttestationDraft): string {
  const stored = {
    reasons: verdict.reasons,
    ...(verdict.outcome && { outcome: verdict.outcome }),
    read: verdict.read ?? null,
    judged_by: verdict.judgedBy,
    ...(report.override && { override_reason: report.override.reason }),
  };
  return canonicalize(stored) ?? '';
}

/** Every report is authenticated by a key. One made for a job proves more, and a verified signature most. */
function trustOf({ verdict }: AttestationDraft, workload: string | null): NewAttestation['trust'] {
  return verdict.trust ?? (workload === null ? 'api_key' : 'workload_identity');
}

interface Parts {
  readonly content: string;
  readonly verdictText: string;
  readonly trust: NewAttestation['trust'];
  readonly workload: string | null;
}

function sealOf(
  draft: AttestationDraft,
  place: CompletePlace,
  { content, verdictText, trust, workload }: Parts,
): OpenPayload {
  const { report, destination, verdict, overridden, recordedBy } = draft;
  const { attachment, claim, override } = report;
  const payload = {
    flow: place.flow_name,
    trail: report.trailName,
    name: report.sent.attestation_name,
    type: report.type,
    is_compliant: verdict.isCompliant,
    trust,
    content_sha256: hash('sha256', content),
    verdict_sha256: hash('sha256', verdictText),
    ...present({
      fingerprint: destination.fingerprint,
      target_artifact: destination.target_artifact,
      commit: destination.commit_sha,
      type_version: verdict.typeVersion,
      control: verdict.control,
      attachment: attachment && { sha256: attachment.sha256, name: attachment.filename, size: attachment.size },
      evidence_id: claim?.evidenceId,
      claimed_at: report.claimedAt,
      workload_sha256: workload && hash('sha256', workload),
      recorded_by: recordedBy && identityOf(recordedBy),
    }),
  };
  if (!override || !overridden) return sealWithoutReceipt(attestationRecorded, payload);
  return sealWithoutReceipt(attestationOverridden, { ...payload, overrides: overridden.id, reason: override.reason });
}

function recorderText({ recordedBy }: AttestationDraft): string | null {
  return recordedBy === null ? null : (canonicalize(recordedBy) ?? null);
}

function identityOf({ aliases, groups, ...identity }: RecordedBy) {
  return { ...identity, ...(aliases && { aliases: [...aliases] }), ...(groups && { groups: [...groups] }) };
}
