/** Every address of the application. They are what the API gives as `html_url`, so none of them may change. */

const part = encodeURIComponent;

/** Values that are not given are left out. */
export function withQuery(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string | number] => entry[1] !== undefined);
  return given.length === 0
    ? path
    : `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

const environment = (org: string, env: string) => `/${part(org)}/environments/${part(env)}`;
const guide = (page: string) => `/help/${page}.html`;
const flow = (org: string, name: string) => `/${part(org)}/flows/${part(name)}`;
const inOrg = (org: string, rest: string) => `/${part(org)}/${rest}`;

export const paths = {
  home: (org: string) => `/${part(org)}`,
  environments: (org: string) => inOrg(org, 'environments'),
  environment,
  timeline: (org: string, env: string) => `${environment(org, env)}/timeline`,
  snapshots: (org: string, env: string) => `${environment(org, env)}/snapshots`,
  snapshot: (org: string, env: string, expression: string | number) =>
    `${environment(org, env)}/snapshots/${part(String(expression))}`,
  compare: (org: string, env: string, before: string | number, after: string | number) =>
    `${environment(org, env)}/compare/${part(`${before}..${after}`)}`,
  events: (org: string, env: string) => `${environment(org, env)}/events`,
  environmentPolicies: (org: string, env: string) => `${environment(org, env)}/policies`,
  environmentSettings: (org: string, env: string) => `${environment(org, env)}/settings`,
  environmentWhy: (org: string, env: string, expression?: string | number) =>
    withQuery(`${environment(org, env)}/why`, { at: expression }),
  matrix: (org: string) => inOrg(org, 'matrix'),
  flows: (org: string) => inOrg(org, 'flows'),
  flow,
  flowTemplate: (org: string, name: string) => `${flow(org, name)}/template`,
  trail: (org: string, name: string, trail: string, attestationId?: string) =>
    withQuery(`${flow(org, name)}/trails/${part(trail)}`, { attestation_id: attestationId }),
  trailWhy: (org: string, name: string, trail: string) => `${flow(org, name)}/trails/${part(trail)}/why`,
  artifact: (org: string, name: string, fingerprint: string, artifactId?: string) =>
    withQuery(`${flow(org, name)}/artifacts/${part(fingerprint)}`, { artifact_id: artifactId }),
  artifactWhy: (org: string, name: string, fingerprint: string, env?: string) =>
    withQuery(`${flow(org, name)}/artifacts/${part(fingerprint)}/why`, { env }),
  /** By its digits alone, whichever flow it is from. */
  anyArtifact: (org: string, fingerprint: string) => inOrg(org, `artifacts/${part(fingerprint)}`),
  trace: (org: string, what?: string) => inOrg(org, what === undefined ? 'trace' : `trace/${part(what)}`),
  components: (org: string, component?: string, range?: string) =>
    withQuery(inOrg(org, 'components'), { component, range }),
  componentDiff: (org: string, from?: string, to?: string) => withQuery(inOrg(org, 'components/diff'), { from, to }),
  findings: (org: string, of?: { id?: string; component?: string; attestation?: string }) =>
    withQuery(inOrg(org, 'findings'), { ...of }),
  deployments: (org: string) => inOrg(org, 'deployments'),
  policies: (org: string) => inOrg(org, 'policies'),
  newPolicy: (org: string) => inOrg(org, 'policies/new'),
  policy: (org: string, name: string, version?: number) => withQuery(inOrg(org, `policies/${part(name)}`), { version }),
  policyTest: (org: string, name: string) => inOrg(org, `policies/${part(name)}/test`),
  controls: (org: string) => inOrg(org, 'controls'),
  control: (org: string, identifier: string, tab?: 'versions' | 'decisions' | 'coverage') =>
    inOrg(org, `controls/${part(identifier)}${tab === undefined ? '' : `/${tab}`}`),
  audit: (org: string, tab: 'activity' | 'packages' | 'exceptions' | 'compliance' | 'ledger') =>
    inOrg(org, `audit/${tab}`),
  notifications: (org: string) => inOrg(org, 'notifications'),
  deliveries: (org: string) => inOrg(org, 'deliveries'),
  delivery: (org: string, id: string) => inOrg(org, `deliveries/${part(id)}`),
  changes: (org: string) => inOrg(org, 'changes'),
  change: (org: string, id: string) => inOrg(org, `changes/${part(id)}`),
  settings: (
    org: string,
    tab:
      | 'members'
      | 'audit-log'
      | 'service-accounts'
      | 'keys'
      | 'workload-identity'
      | 'sso'
      | 'trust'
      | 'sessions'
      | 'organization',
  ) => inOrg(org, `settings/${tab}`),
  serviceAccount: (org: string, name: string) => inOrg(org, `settings/service-accounts/${part(name)}`),
  help: () => '/help/',
  guide,
  ledgerHelp: () => guide('ledger'),
  glossary: () => guide('glossary'),
  reference: () => '/docs',
};
