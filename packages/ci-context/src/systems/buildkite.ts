import type { Facts, Known } from '../ci-context.ts';
import { commitFrom, headOfCheckout, mergedCommit, pushedCommit } from '../commit.ts';
import type { Reader } from '../reader.ts';

export function readBuildkite(reader: Reader): Facts {
  const request = pullRequest(reader);
  return {
    commit: request ? headCommit(reader) : pushedCommit(reader, reader.text('BUILDKITE_COMMIT')),
    branch: reader.has('BUILDKITE_TAG') ? undefined : branch(reader),
    tag: reader.optional('BUILDKITE_TAG'),
    defaultBranch: reader.optional('BUILDKITE_PIPELINE_DEFAULT_BRANCH'),
    pullRequest: request,
    repository: { remote: reader.text('BUILDKITE_REPO') },
    buildUrl: jobAddress(reader),
    buildNumber: reader.optional('BUILDKITE_BUILD_NUMBER'),
    attempt: reader.optional('BUILDKITE_RETRY_COUNT'),
    actor: reader.first('BUILDKITE_BUILD_CREATOR_EMAIL', 'BUILDKITE_BUILD_CREATOR'),
    oidc: { kind: 'buildkite' },
  };
}

function pullRequest(reader: Reader): Facts['pullRequest'] {
  const number = reader.optional('BUILDKITE_PULL_REQUEST');
  const isOne = number !== undefined && number.value !== 'false';
  const isMarked =
    reader.has('BUILDKITE_PULL_REQUEST_BASE_BRANCH') || reader.isTrue('BUILDKITE_PULL_REQUEST_USING_MERGE_REFSPEC');
  if (!isOne && !isMarked) return undefined;
  return { number: isOne ? number : undefined, baseBranch: reader.optional('BUILDKITE_PULL_REQUEST_BASE_BRANCH') };
}

/** With a merge ref the checkout is the merge. The variable is the head then, unless it equals the checkout. */
function headCommit(reader: Reader): Known<string> | undefined {
  const commit = reader.text('BUILDKITE_COMMIT');
  if (!reader.isTrue('BUILDKITE_PULL_REQUEST_USING_MERGE_REFSPEC')) return commitFrom(reader, commit);
  const checkout = headOfCheckout(reader);
  const whole = commitFrom(reader, commit);
  if (!checkout || !whole) return mergedCommit(reader, undefined);
  return whole.value === checkout.value ? mergedCommit(reader, whole) : whole;
}

/** For a fork the branch has the owner as a prefix; git allows no colon in a branch. */
function branch(reader: Reader): Known<string> | undefined {
  const name = reader.optional('BUILDKITE_BRANCH');
  return name && { ...name, value: name.value.replace(/^[^:/]+:/, '') };
}

function jobAddress(reader: Reader): Known<string> | undefined {
  const build = reader.address('BUILDKITE_BUILD_URL');
  const job = reader.optional('BUILDKITE_JOB_ID');
  if (!build || !job) return build;
  return {
    value: `${build.value}#${encodeURIComponent(job.value)}`,
    source: 'BUILDKITE_BUILD_URL, BUILDKITE_JOB_ID',
    trust: 'ci',
  };
}
