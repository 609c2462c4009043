import type { EnvironmentTrigger, FlowTrigger } from '@waymark/contract';

export const ENVIRONMENT_TRIGGER_WORDS: Record<EnvironmentTrigger, string> = {
  ON_NON_COMPLIANT_ENV: 'Environment becomes non-compliant or unknown',
  ON_COMPLIANT_ENV: 'Environment becomes compliant again',
  ON_EXPIRING_EVIDENCE: 'Evidence about a running artifact expires soon',
  ON_STARTED_ARTIFACT: 'Artifact starts running',
  ON_EXITED_ARTIFACT: 'Artifact stops running',
  ON_SCALED_ARTIFACT: 'Artifact scales up or down',
  ON_ALLOWED_ARTIFACT: 'Artifact gets a waiver',
};

export const FLOW_TRIGGER_WORDS: Record<FlowTrigger, string> = {
  ON_STARTED_TRAIL: 'Trail starts',
  ON_ATTESTED_PROVENANCE: 'Artifact is reported',
  ON_ATTESTATION: 'Attestation is recorded, or its verdict overridden',
};

const SHORT: Readonly<Record<string, string>> = {
  ON_NON_COMPLIANT_ENV: 'non-compliant',
  ON_COMPLIANT_ENV: 'compliant again',
  ON_EXPIRING_EVIDENCE: 'evidence expires',
  ON_STARTED_ARTIFACT: 'started',
  ON_EXITED_ARTIFACT: 'exited',
  ON_SCALED_ARTIFACT: 'scaled',
  ON_ALLOWED_ARTIFACT: 'waived',
  ON_STARTED_TRAIL: 'trail started',
  ON_ATTESTED_PROVENANCE: 'artifact reported',
  ON_ATTESTATION: 'attested',
  api_key_expiry: 'key expires',
  TEST: 'test',
};

/** In a word or two; an unknown trigger is shown unchanged. */
export function shortTrigger(trigger: string): string {
  return SHORT[trigger] ?? trigger;
}
