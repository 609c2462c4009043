import type { Scope } from './rule.ts';

/** Where the artifact is judged. Without an environment it is judged by the policy alone. */
export interface DecisionContext {
  readonly artifactName: string;
  readonly environment: Scope['environment'];
}
