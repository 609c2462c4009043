import type { Facts } from '../ci-context.ts';
import { builtCommit } from '../commit.ts';
import type { Reader } from '../reader.ts';

export function readWoodpecker(reader: Reader): Facts {
  const number = reader.optional('CI_COMMIT_PULL_REQUEST');
  const isTag = reader.has('CI_COMMIT_TAG');
  const pushed = isTag ? undefined : reader.optional('CI_COMMIT_BRANCH');
  const forge = reader.optional('CI_FORGE_TYPE');
  return {
    commit: builtCommit(reader, reader.text('CI_COMMIT_SHA'), number !== undefined),
    // Of a pull request CI_COMMIT_BRANCH is the target.
    branch: number ? reader.optional('CI_COMMIT_SOURCE_BRANCH') : pushed,
    tag: reader.optional('CI_COMMIT_TAG'),
    defaultBranch: reader.optional('CI_REPO_DEFAULT_BRANCH'),
    pullRequest: number && { number, baseBranch: reader.first('CI_COMMIT_TARGET_BRANCH', 'CI_COMMIT_BRANCH') },
    repository: {
      id: reader.optional('CI_REPO_REMOTE_ID'),
      name: reader.text('CI_REPO'),
      remote: reader.first('CI_REPO_URL', 'CI_REPO_CLONE_URL'),
      provider: forge && { ...forge, value: forge.value === 'bitbucket' ? 'bitbucket_cloud' : forge.value },
    },
    buildUrl: reader.address('CI_PIPELINE_URL'),
    buildNumber: reader.optional('CI_PIPELINE_NUMBER'),
    actor: reader.first('CI_PIPELINE_AUTHOR', 'CI_COMMIT_AUTHOR'),
  };
}
