import type { Environment } from '@waymark/contract';

export type Judged = Pick<
  Environment,
  'type' | 'compliance' | 'policies' | 'latest_snapshot_index' | 'last_reported_at'
>;

/** Why an environment is unknown, if there is a short term for it. */
export function unknownWord(environment: Judged): string | undefined {
  const { type, compliance, policies, latest_snapshot_index, last_reported_at } = environment;
  if (compliance !== 'unknown') return undefined;
  // A logical environment has neither snapshots nor policies: its members report, and any of them may be the unknown
  // one.
  if (type === 'logical') return last_reported_at === null ? 'No report yet' : undefined;
  if (latest_snapshot_index === 0) return 'No report yet';
  return policies.length === 0 ? 'No policy' : undefined;
}
