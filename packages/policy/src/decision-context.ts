import type { Readings } from './readings.ts';
import type { Scope } from './rule.ts';

/** Where the artifact is judged. Without an environment it is judged by the policy alone. */
export interface DecisionContext {
  readonly artifactName: string;
  readonly environment: Scope['environment'];
  /**
   * Of a policy that depends on the time: the newest instant, in seconds, that changed or may have changed its verdict.
   * See `instantOf`.
   */
  readonly at?: number;
  /** Those of `readingsFor`. Named by their content, so they are no part of the key. */
  readonly readings?: Readings;
}
