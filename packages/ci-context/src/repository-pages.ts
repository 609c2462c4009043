const HOSTS: Readonly<Record<string, string>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'bitbucket.org': 'bitbucket_cloud',
  'dev.azure.com': 'azure_devops_services',
  'codeberg.org': 'forgejo',
};

/** The forge, when the host identifies it. */
export function providerOfHost(url: string): string | undefined {
  const { hostname } = new URL(url);
  if (hostname.endsWith('.visualstudio.com')) return 'azure_devops_services';
  return Object.hasOwn(HOSTS, hostname) ? HOSTS[hostname] : undefined;
}

const COMMIT: Readonly<Record<string, string>> = { gitlab: '/-/commit/', bitbucket_cloud: '/commits/' };

/** Most forges have commits at the same path, so an unknown one is assumed to as well. */
export function commitPage(repositoryUrl: string, provider: string | undefined, commit: string): string | undefined {
  if (provider === 'subversion') return undefined;
  return `${repositoryUrl}${COMMIT[provider ?? ''] ?? '/commit/'}${commit}`;
}

const PULL_REQUEST: Readonly<Record<string, string>> = {
  github: '/pull/',
  gitlab: '/-/merge_requests/',
  bitbucket_cloud: '/pull-requests/',
  azure_devops_services: '/pullrequest/',
  azure_devops_server: '/pullrequest/',
  gitea: '/pulls/',
  forgejo: '/pulls/',
};

export function pullRequestPage(
  repositoryUrl: string,
  provider: string | undefined,
  number: string,
): string | undefined {
  const path = PULL_REQUEST[provider ?? ''];
  return path && `${repositoryUrl}${path}${number}`;
}
