import type { Resolution } from './decision.ts';
import type { Unmet } from './demand.ts';
import type { AttestationEvidence, FlowEvidence } from './evidence.ts';

/** What keeps a rule from being satisfied, unless another flow satisfies it. */
export interface Fault {
  /** Whether something fails, which counts anywhere. Otherwise something is only missing. */
  readonly fails: boolean;
  readonly resolution: Resolution;
  readonly flow: FlowEvidence | null;
  /** The evidence that fails, or that is not trusted enough. */
  readonly attestation: AttestationEvidence | null;
  /** The demand that the evidence does not meet, if that is the fault. */
  readonly unmet: Unmet | null;
}
