export type StepName = 'content' | 'org_log' | 'region_log' | 'signature' | 'witnesses' | 'time_stamp';

/** One step of a verification, in words for people. */
export interface ProofStep {
  readonly name: StepName;
  /** `not_checked` if nothing was there to be checked; `says` tells which. */
  readonly outcome: 'ok' | 'failed' | 'not_checked';
  readonly says: string;
}
