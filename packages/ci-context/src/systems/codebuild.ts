import type { Facts, Known } from '../ci-context.ts';
import { builtCommit } from '../commit.ts';
import type { Reader } from '../reader.ts';
import { branchOf, numberIn } from '../refs.ts';

export function readCodebuild(reader: Reader): Facts {
  const trigger = reader.optional('CODEBUILD_WEBHOOK_TRIGGER');
  const number = numberIn(trigger) ?? numberIn(reader.optional('CODEBUILD_SOURCE_VERSION'));
  const head = reader.optional('CODEBUILD_WEBHOOK_HEAD_REF');
  return {
    // For a pull request CodeBuild fetches its head.
    commit: builtCommit(reader, reader.optional('CODEBUILD_RESOLVED_SOURCE_VERSION'), number !== undefined),
    branch: head?.value.startsWith('refs/heads/') ? branchOf(head) : after(trigger, 'branch/'),
    tag: after(trigger, 'tag/'),
    pullRequest: number && { number, baseBranch: branchOf(reader.optional('CODEBUILD_WEBHOOK_BASE_REF')) },
    repository: { remote: reader.optional('CODEBUILD_SOURCE_REPO_URL') },
    buildUrl: reader.address('CODEBUILD_BUILD_URL'),
    buildNumber: reader.optional('CODEBUILD_BUILD_NUMBER'),
    actor: reader.optional('CODEBUILD_INITIATOR'),
  };
}

function after(trigger: Known<string> | undefined, prefix: string): Known<string> | undefined {
  return trigger?.value.startsWith(prefix) ? { ...trigger, value: trigger.value.slice(prefix.length) } : undefined;
}
