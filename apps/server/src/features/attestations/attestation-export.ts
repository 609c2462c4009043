import { Attestation } from '@waymark/contract';
import { cellTime } from '../../platform/export/csv.ts';
import type { Exported } from '../../platform/export/handle-export.ts';

/** What the evidence contains is in JSON only. */
export const EXPORTED_ATTESTATIONS: Exported<typeof Attestation> = {
  item: Attestation,
  what: 'attestations',
  columns: {
    created_at: ({ created_at }) => cellTime(created_at),
    attestation_name: ({ attestation_name }) => attestation_name,
    attestation_type: ({ attestation_type }) => attestation_type,
    is_compliant: ({ is_compliant }) => is_compliant,
    reasons: ({ reasons }) => reasons,
    flow_name: ({ flow_name }) => flow_name,
    trail_name: ({ trail_name }) => trail_name,
    artifact_fingerprint: ({ artifact_fingerprint }) => artifact_fingerprint,
    git_commit: ({ git_commit_info }) => git_commit_info?.sha1 ?? null,
    description: ({ description }) => description,
    overrides: ({ overrides }) => overrides,
    override_reason: ({ override_reason }) => override_reason,
    control: ({ control }) => control,
    trust: ({ trust }) => trust,
    reported_by: ({ reported_by }) => reported_by,
    attestation_id: ({ attestation_id }) => attestation_id,
    html_url: ({ html_url }) => html_url,
  },
};
