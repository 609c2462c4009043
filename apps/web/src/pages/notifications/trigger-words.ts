import type { EnvironmentTrigger, FlowTrigger } from '@waymark/contract';

export const ENVIRONMENT_TRIGGER_WORDS: Record<EnvironmentTrigger, string> = {
  ON_NON_COMPLIANT_ENV: 'The environment is not compliant any more, or nobody can say so any longer',
  ON_COMPLIANT_ENV: 'The environment is compliant again',
  ON_STARTED_ARTIFACT: 'An artifact starts to run',
  ON_EXITED_ARTIFACT: 'An artifact does not run any more',
  ON_SCALED_ARTIFACT: 'An artifact runs with more or fewer instances',
  ON_ALLOWED_ARTIFACT: 'An artifact is allow-listed',
};

export const FLOW_TRIGGER_WORDS: Record<FlowTrigger, string> = {
  ON_STARTED_TRAIL: 'A trail begins',
  ON_ATTESTED_PROVENANCE: 'An artifact is reported',
  ON_ATTESTATION: 'An attestation is made, or its verdict overridden',
};

const SHORT: Readonly<Record<string, string>> = {
  ON_NON_COMPLIANT_ENV: 'not compliant',
  ON_COMPLIANT_ENV: 'compliant again',
  ON_STARTED_ARTIFACT: 'started',
  ON_EXITED_ARTIFACT: 'exited',
  ON_SCALED_ARTIFACT: 'scaled',
  ON_ALLOWED_ARTIFACT: 'allow-listed',
  ON_STARTED_TRAIL: 'trail begun',
  ON_ATTESTED_PROVENANCE: 'artifact reported',
  ON_ATTESTATION: 'attested',
  api_key_expiry: 'key expires',
  TEST: 'test',
};

/** In a word or two; an unknown trigger is shown unchanged. */
export function shortTrigger(trigger: string): string {
  return SHORT[trigger] ?? trigger;
}
