import type { Facts, Known } from '../ci-context.ts';
import { builtCommit } from '../commit.ts';
import type { Reader } from '../reader.ts';

export function readBitbucket(reader: Reader): Facts {
  const number = reader.optional('BITBUCKET_PR_ID');
  return {
    // The merge with the target is made in the clone; the variable is the head.
    commit: builtCommit(reader, reader.text('BITBUCKET_COMMIT'), number !== undefined),
    branch: reader.optional('BITBUCKET_BRANCH'),
    tag: reader.optional('BITBUCKET_TAG'),
    pullRequest: number && { number, baseBranch: reader.optional('BITBUCKET_PR_DESTINATION_BRANCH') },
    repository: {
      id: reader.text('BITBUCKET_REPO_UUID'),
      name: reader.text('BITBUCKET_REPO_FULL_NAME'),
      remote: reader.text('BITBUCKET_GIT_HTTP_ORIGIN'),
      provider: { value: 'bitbucket_cloud', source: 'BITBUCKET_BUILD_NUMBER', trust: 'ci' },
    },
    buildUrl: buildAddress(reader),
    buildNumber: reader.text('BITBUCKET_BUILD_NUMBER'),
    actor: reader.optional('BITBUCKET_STEP_TRIGGERER_UUID'),
    oidc: reader.has('BITBUCKET_STEP_OIDC_TOKEN')
      ? { kind: 'ready', variable: 'BITBUCKET_STEP_OIDC_TOKEN' }
      : undefined,
  };
}

function buildAddress(reader: Reader): Known<string> | undefined {
  const name = reader.optional('BITBUCKET_REPO_FULL_NAME');
  const number = reader.optional('BITBUCKET_BUILD_NUMBER');
  if (!name || !number) return undefined;
  return reader.checkedAddress(
    `https://bitbucket.org/${name.value}/pipelines/results/${number.value}`,
    'BITBUCKET_REPO_FULL_NAME, BITBUCKET_BUILD_NUMBER',
  );
}
