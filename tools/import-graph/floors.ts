interface Floor {
  readonly name: string;
  readonly features: readonly string[];
}

/**
 * The features of the server from the ground up. A feature imports from its own floor and from those before it, never
 * in a circle. `docs/architecture.md` draws this list with the imports that there are.
 */
export const FLOORS: readonly Floor[] = [
  { name: 'Accounts', features: ['orgs', 'users', 'api-keys'] },
  {
    name: 'Access',
    features: ['memberships', 'service-accounts', 'scim', 'sso', 'sign-in', 'accounts', 'org-settings', 'org-copies'],
  },
  { name: 'Definitions', features: ['flows', 'policies', 'environments', 'trust', 'provenance'] },
  {
    name: 'Evidence',
    features: ['deployments', 'repos', 'trails', 'artifacts', 'readings', 'attestations', 'controls'],
  },
  {
    name: 'Runtime',
    features: ['snapshots', 'runtime-verdicts', 'environment-reports', 'environment-settings', 'waivers'],
  },
  {
    name: 'Questions',
    features: [
      'compliance',
      'environment-history',
      'back-tests',
      'reports',
      'search',
      'tags',
      'change-requests',
      'retention',
      'ledger-checks',
    ],
  },
  { name: 'News', features: ['activity', 'ledger', 'notifications', 'api-reference'] },
];

/** Returns the place of a feature's floor from the ground, or -1 if it is on none. */
export function floorOf(feature: string): number {
  return FLOORS.findIndex(({ features }) => features.includes(feature));
}
