export type Stage = 'ticket' | 'commit' | 'review' | 'build' | 'checks' | 'artifact' | 'running';

/**
 * `none` is shown where a stage is empty and everything was read: nothing is required there, or it would be a ghost.
 */
export const STAGES: readonly { readonly id: Stage; readonly title: string; readonly none: string }[] = [
  { id: 'ticket', title: 'Ticket', none: 'Not required' },
  { id: 'commit', title: 'Commit', none: 'Not reported' },
  { id: 'review', title: 'Review', none: 'Not required' },
  { id: 'build', title: 'Build', none: 'Not reported' },
  { id: 'checks', title: 'Tests and scans', none: 'Not required' },
  { id: 'artifact', title: 'Artifact', none: 'Not reported' },
  { id: 'running', title: 'Running', none: 'Runs nowhere' },
];

const BY_TYPE: Readonly<Record<string, Stage>> = {
  jira: 'ticket',
  pull_request: 'review',
  in_toto: 'build',
  junit: 'checks',
  snyk: 'checks',
  sonar: 'checks',
  sbom: 'checks',
  vex: 'checks',
};

/** If the type has no stage, the name may. */
const BY_NAME: readonly [RegExp, Stage][] = [
  [/ticket|issue|jira|story|change.?request/i, 'ticket'],
  [/review|approv|pull.?request|four.?eyes/i, 'review'],
  [/provenance|build|slsa/i, 'build'],
];

export function stageOf(type: string, name: string): Stage {
  return BY_TYPE[type] ?? BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? 'checks';
}
