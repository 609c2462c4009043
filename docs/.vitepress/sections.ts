/** A section of the site, with its pages in the order in which a reader needs them. */
export interface Section {
  readonly title: string;
  /** Of files in `docs/`, without their ending. */
  readonly pages: readonly string[];
}

/** The start page lists the same pages in the same order: a test compares them. */
export const SECTIONS: readonly Section[] = [
  { title: 'Tutorials', pages: ['first-verdict', 'first-policy', 'gated-deployment', 'cli-tutorial', 'tutorial'] },
  {
    title: 'How-to guides',
    pages: [
      ...[
        'common-tasks',
        'policy-cookbook',
        'ci',
        'github-actions',
        'gitlab-ci',
        'jenkins',
        'azure-pipelines',
        'circleci',
      ],
      ...['bitbucket-pipelines', 'buildkite', 'teamcity', 'harness', 'workload-identity'],
      ...[
        'reporters',
        'notifications',
        'single-sign-on',
        'change-control',
        'signed-verdicts',
        'retention',
        'audit-log-streaming',
        'migrating',
      ],
    ],
  },
  {
    title: 'Concepts',
    pages: [
      ...['concepts/flows-and-trails', 'concepts/evidence', 'concepts/snapshots', 'concepts/verdicts'],
      ...['concepts/tenancy', 'concepts/requests', 'concepts/journal', 'architecture', 'glossary'],
    ],
  },
  {
    title: 'Reference',
    pages: [
      ...['policies', 'cli', 'client', 'configuration', 'journal', 'permissions', 'errors', 'limits', 'web'],
      ...['api/coverage'],
    ],
  },
  {
    title: 'Operate',
    pages: [
      ...[
        'install',
        'kubernetes',
        'air-gapped',
        'reverse-proxy',
        'scale',
        'figures',
        'operations',
        'back-up',
        'move-an-org',
      ],
      ...['event-bus', 'witnesses', 'security', 'observability', 'metrics', 'runbooks'],
    ],
  },
  { title: 'For auditors', pages: ['auditors', 'ledger', 'ledger-attacks', 'verify-the-ledger', 'verify'] },
  { title: 'Project', pages: ['releases', 'support', 'roadmap'] },
];
