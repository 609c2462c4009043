import {
  attestCustom,
  attestDecision,
  attestGeneric,
  attestInToto,
  attestJira,
  attestJunit,
  attestOverride,
  attestPullRequest,
  attestSbom,
  attestSnyk,
  attestSonar,
  attestVex,
} from '@waymark/contract';
import { knownFields } from './known-fields.ts';
import { withoutMarks } from './original.ts';
import type { SourceAttestation } from './source-contracts.ts';

interface Kind {
  readonly contract: typeof attestGeneric;
  /** What the type has of its own. */
  readonly own: (attestation: SourceAttestation) => object;
}

export interface AttestationBody {
  readonly contract: typeof attestGeneric;
  readonly body: Readonly<Record<string, unknown>> & { readonly annotations: object };
  /** Members that the target does not take. */
  readonly dropped: readonly string[];
}

const CUSTOM = 'custom:';
const UNKNOWN = 'unknown';

/** Calls of all kinds are alike but for their bodies, which are checked by the target. */
const kind = (contract: object, own: Kind['own']): Kind => ({ contract: contract as typeof attestGeneric, own });

const kinds: Readonly<Record<string, Kind>> = {
  generic: kind(attestGeneric, ({ is_compliant: isCompliant }) => ({ is_compliant: isCompliant ?? false })),
  junit: kind(attestJunit, (one) => ({ junit_results: memberOf(one, 'junit_results') })),
  snyk: kind(attestSnyk, (one) => ({
    snyk_results: memberOf(one, 'snyk_results') ?? memberOf(one, 'processed_snyk_results'),
    fails_at: memberOf(one, 'fails_at'),
  })),
  sonar: kind(attestSonar, (one) => ({ sonar_results: memberOf(one, 'sonar_results') })),
  jira: kind(attestJira, (one) => ({ jira_results: memberOf(one, 'jira_results') })),
  pull_request: kind(attestPullRequest, (one) => ({
    git_provider: memberOf(one, 'git_provider') ?? UNKNOWN,
    pull_requests: memberOf(one, 'pull_requests'),
  })),
  custom: kind(attestCustom, (one) => ({
    type_name: one.attestation_type.slice(CUSTOM.length),
    attestation_data: one.attestation_data,
  })),
  decision: kind(attestDecision, (one) => ({ control: one.control, attestation_data: one.attestation_data })),
  override: kind(attestOverride, (one) => ({
    reason: memberOf(one, 'reason') ?? one.override_reason,
    new_compliance_status: memberOf(one, 'new_compliance_status') ?? one.is_compliant,
    original_attestation_type: memberOf(one, 'original_attestation_type'),
  })),
  sbom: kind(attestSbom, () => ({})),
  vex: kind(attestVex, () => ({})),
  in_toto: kind(attestInToto, () => ({})),
};

/** Returns the request that reports the attestation again, without what says where it is from. */
export function attestationBody(attestation: SourceAttestation): AttestationBody | undefined {
  const found = kinds[kindOf(attestation.attestation_type)];
  if (!found) return undefined;
  const { target_artifacts: targets, description, origin_url } = attestation;
  const sent = {
    attestation_name: attestation.attestation_name,
    artifact_fingerprint: attestation.artifact_fingerprint,
    target_artifacts: targets && targets.length > 0 ? targets : undefined,
    git_commit_info: attestation.git_commit_info,
    repo_info: attestation.repo_info,
    external_urls: attestation.external_urls,
    user_data: attestation.user_data,
    ...(description && { description }),
    ...(origin_url && { origin_url }),
    ...found.own(attestation),
    annotations: withoutMarks(attestation.annotations),
  };
  const given = Object.entries(sent).filter(([, value]) => value !== null && value !== undefined);
  const { body, dropped } = knownFields(found.contract.body, Object.fromEntries(given));
  return { contract: found.contract, body: body as AttestationBody['body'], dropped };
}

/** Another service calls a decision `system`. */
function kindOf(type: string): string {
  if (type.startsWith(CUSTOM)) return 'custom';
  return type === 'system' || type.startsWith('system:') ? 'decision' : type;
}

/** Services keep what a type has of its own beside the common fields, or in `attestation_data`. */
function memberOf(attestation: SourceAttestation, name: string): unknown {
  const { attestation_data: data } = attestation;
  const inside = typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[name] : undefined;
  return (attestation as Record<string, unknown>)[name] ?? inside;
}
