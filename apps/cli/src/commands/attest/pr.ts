import { attestPullRequest } from '@waymark/contract';
import { attestSettings, commitOf, withAttestFlags } from '../../evidence/attest-flags.ts';
import { findOnAzure } from '../../evidence/pull-requests/azure.ts';
import { findOnBitbucket } from '../../evidence/pull-requests/bitbucket.ts';
import { findOnGithub } from '../../evidence/pull-requests/github.ts';
import { findOnGitlab } from '../../evidence/pull-requests/gitlab.ts';
import type { FindPullRequests } from '../../evidence/pull-requests/pull-request.ts';
import { attestOne } from '../../evidence/record-attestation.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';

const PROVIDERS: Readonly<Record<string, FindPullRequests>> = {
  github: findOnGithub,
  gitlab: findOnGitlab,
  bitbucket: findOnBitbucket,
  azure: findOnAzure,
};

export const command = defineCommand({
  description:
    'Asks GitHub, GitLab, Bitbucket, or Azure DevOps for the pull requests that contain the commit, with their ' +
    'authors and approvers. Compliant if there is at least one; policies decide who must approve. The token comes ' +
    'from GITHUB_TOKEN, GITLAB_TOKEN or CI_JOB_TOKEN, BITBUCKET_TOKEN, or SYSTEM_ACCESSTOKEN.',
  examples: [
    { say: 'In CI', run: 'waymark attest pr' },
    {
      say: 'Elsewhere',
      run: 'waymark attest pr --provider github --repository acme/shop --commit 9f14efa --name review',
    },
  ],
  settings: attestSettings,
  build: (command) =>
    withAttestFlags(command)
      .option('--provider <name>', `${Object.keys(PROVIDERS).join(', ')} (default: detected from the repository)`)
      .option('--repository <name>', 'OWNER/NAME (default: the repository being built)')
      .option('--api-url <url>', 'URL of the API, for a self-hosted server'),
  async run(session, _, { provider: named, repository, apiUrl, ...flags }) {
    const { provider, find } = providerOf(session, named);
    const commit = commitOf(session, flags.commit);
    if (commit === undefined) throw usageError('The commit is unknown', 'Add --commit');
    const ci = session.ci();
    const pull_requests = await find(session, {
      commit,
      number: flags.commit === undefined && repository === undefined ? ci.pullRequest?.value.number : undefined,
      repository: repository ?? ci.repository?.name?.value,
      apiUrl,
    });
    if (pull_requests.length === 0) session.warn(`No pull request contains commit ${commit}`);
    const body = { git_provider: provider, pull_requests };
    return attestOne(session, attestPullRequest, { flags, otherwise: 'pull-request', body, kind: 'pull request' });
  },
});

function providerOf(session: Session, named: string | undefined): { provider: string; find: FindPullRequests } {
  const { repository, provider: system } = session.ci();
  const host = named ?? repository?.provider?.value ?? system;
  const provider = Object.keys(PROVIDERS).find((name) => host === name || (named === undefined && host.includes(name)));
  const find = provider === undefined ? undefined : PROVIDERS[provider];
  if (provider !== undefined && find) return { provider, find };
  const known = Object.keys(PROVIDERS).join(', ');
  throw usageError(
    named === undefined ? 'The provider of the repository is unknown' : `--provider must be one of ${known}`,
    named === undefined ? `Add --provider: ${known}` : undefined,
  );
}
