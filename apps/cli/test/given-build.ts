/** As in a push build of GitHub Actions. */
export const COMMIT = '9f14efa0c5d4e3b2a1908f7e6d5c4b3a29181706';

export const GITHUB_BUILD = {
  GITHUB_ACTIONS: 'true',
  GITHUB_SHA: COMMIT,
  GITHUB_REF: 'refs/heads/main',
  GITHUB_REF_NAME: 'main',
  GITHUB_REF_TYPE: 'branch',
  GITHUB_EVENT_NAME: 'push',
  GITHUB_REPOSITORY: 'acme/shop',
  GITHUB_REPOSITORY_ID: '4711',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_RUN_ID: '42',
  GITHUB_RUN_ATTEMPT: '1',
} as const;
