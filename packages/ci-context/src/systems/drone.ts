import type { Facts } from '../ci-context.ts';
import { builtCommit } from '../commit.ts';
import type { Reader } from '../reader.ts';

/** Drone, and what Harness took over from it. The commit of a pull request is its head. */
export function readDrone(reader: Reader): Facts {
  const request = pullRequest(reader);
  const isTag = reader.has('DRONE_TAG');
  return {
    commit: builtCommit(
      reader,
      reader.first('DRONE_COMMIT_SHA', 'DRONE_COMMIT', 'CI_COMMIT_SHA'),
      request !== undefined,
    ),
    // Of a pull request DRONE_BRANCH is the target.
    branch: request
      ? reader.first('DRONE_SOURCE_BRANCH')
      : isTag
        ? undefined
        : reader.first('DRONE_COMMIT_BRANCH', 'DRONE_BRANCH', 'CI_COMMIT_BRANCH'),
    tag: reader.optional('DRONE_TAG'),
    defaultBranch: reader.optional('DRONE_REPO_BRANCH'),
    pullRequest: request,
    repository: {
      name: reader.optional('DRONE_REPO'),
      remote: reader.first('DRONE_REPO_LINK', 'DRONE_GIT_HTTP_URL', 'DRONE_REMOTE_URL', 'DRONE_GIT_SSH_URL'),
    },
    buildUrl: reader.address('DRONE_BUILD_LINK'),
    buildNumber: reader.optional('DRONE_BUILD_NUMBER'),
    actor: reader.first('DRONE_BUILD_TRIGGER', 'DRONE_COMMIT_AUTHOR'),
  };
}

function pullRequest(reader: Reader): Facts['pullRequest'] {
  const number = reader.optional('DRONE_PULL_REQUEST');
  if (!number && reader.optional('DRONE_BUILD_EVENT')?.value !== 'pull_request') return undefined;
  return { number, baseBranch: reader.first('DRONE_TARGET_BRANCH', 'DRONE_COMMIT_BRANCH', 'DRONE_BRANCH') };
}
