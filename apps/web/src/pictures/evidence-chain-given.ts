import type { Artifact, Attestation, Explanation, Trail } from '@waymark/contract';
import type { SlotStatus } from './evidence-chain-reasons.ts';

/** Trails to draw, for tests. */

export function slot(name: string, type: string, more: Partial<SlotStatus> = {}): SlotStatus {
  return {
    attestation_name: name,
    attestation_type: type,
    attestation_id: `id-${name}`,
    overridden_attestation_id: null,
    status: 'COMPLETE',
    is_compliant: true,
    unexpected: false,
    ...more,
  };
}

export const missing = { status: 'MISSING', is_compliant: null, attestation_id: null } as const;

type Given = Pick<Trail, 'git_commit_info' | 'compliance_status' | 'pending' | 'origin_url'>;

export function trailWith(
  ofTrail: readonly SlotStatus[],
  artifacts: Readonly<Record<string, readonly SlotStatus[] | null>> = {},
): Given {
  return {
    git_commit_info: { sha1: 'c'.repeat(40), author: 'Ana', message: 'Fix it\n\nAt last' },
    origin_url: 'https://ci.example.com/runs/7',
    pending: [],
    compliance_status: {
      status: 'COMPLIANT',
      is_compliant: true,
      evaluated_at: 1,
      flow_template_id: 't',
      attestations_statuses: [...ofTrail],
      artifacts_statuses: Object.fromEntries(
        Object.entries(artifacts).map(([name, slots]) => [
          name,
          {
            artifact_fingerprint: slots === null ? null : fingerprintOf(name),
            artifact_id: slots === null ? null : `artifact-${name}`,
            status: slots === null ? ('MISSING' as const) : ('COMPLIANT' as const),
            is_compliant: slots === null ? null : true,
            attestations_statuses: [...(slots ?? [])],
            unexpected: false,
            evaluated_at: 1,
            flow_template_id: 't',
          },
        ]),
      ),
    },
  };
}

export function fingerprintOf(name: string): string {
  return name.charCodeAt(0).toString(16).padStart(2, '0').repeat(32);
}

/** Only the fields that the chain reads. */
export function artifactOf(name: string, environments: readonly string[] = []): Artifact {
  const running = environments.map((environment_name) => ({ environment_name, snapshot_index: 4 }));
  return {
    fingerprint: fingerprintOf(name),
    filename: name,
    template_reference_name: name,
    git_commit: 'c'.repeat(40),
    git_commit_info: null,
    build_url: 'https://ci.example.com/runs/7',
    running,
    exited: [],
  } as unknown as Artifact;
}

export function attestationOf(name: string, more: Partial<Attestation>): readonly [string, Attestation] {
  const attestation = {
    attestation_id: `id-${name}`,
    attestation_name: name,
    trust: 'api_key',
    outcome: 'passed',
    reasons: [],
    ...more,
  };
  return [attestation.attestation_id, attestation as Attestation];
}

export function explained(id: string, kind: string, more: Partial<Explanation> = {}): Explanation {
  return {
    id,
    kind,
    status: 'COMPLIANT',
    needs: '',
    found: [],
    because: `because of ${id}`,
    fix: null,
    since: null,
    children: [],
    ...more,
  };
}
