import type { Facts, Known } from '../ci-context.ts';
import { commitFrom, commitOf, pushedCommit, unlessMerge } from '../commit.ts';
import type { Reader } from '../reader.ts';
import { numberIn, withoutRemote } from '../refs.ts';

export function readJenkins(reader: Reader): Facts {
  const request = changeRequest(reader);
  return {
    commit: request ? headCommit(reader) : pushedCommit(reader, reader.text('GIT_COMMIT')),
    branch: request ? reader.first('CHANGE_BRANCH', 'ghprbSourceBranch') : builtBranch(reader),
    tag: reader.optional('TAG_NAME'),
    pullRequest: request,
    repository: { remote: reader.first('GIT_URL', 'GIT_URL_1') },
    buildUrl: reader.address('BUILD_URL') ?? reader.address('RUN_DISPLAY_URL'),
    buildNumber: reader.optional('BUILD_NUMBER'),
    actor: reader.first('BUILD_USER_ID', 'CHANGE_AUTHOR'),
  };
}

function changeRequest(reader: Reader): Facts['pullRequest'] {
  const byName = /^(?:PR|MR)-(\d+)/.exec(reader.optional('BRANCH_NAME')?.value ?? '');
  const marks = ['CHANGE_ID', 'ghprbPullId', 'CHANGE_BRANCH', 'CHANGE_TARGET', 'CHANGE_URL', 'ghprbActualCommit'];
  if (!byName && !marks.some(reader.has)) return undefined;
  const url = reader.address('CHANGE_URL') ?? reader.address('ghprbPullLink');
  return {
    number:
      reader.first('CHANGE_ID', 'ghprbPullId') ??
      numberIn(url) ??
      (byName?.[1] ? { value: byName[1], source: 'BRANCH_NAME', trust: 'ci' } : undefined),
    url,
    baseBranch: reader.first('CHANGE_TARGET', 'ghprbTargetBranch'),
  };
}

/**
 * Jenkins builds either the head of a pull request or its own merge, and sets the same variables for both. The commit
 * that the branch source fetched is the head either way.
 */
function headCommit(reader: Reader): Known<string> | undefined {
  const named = commitFrom(reader, reader.optional('ghprbActualCommit'));
  if (named) return named;
  const fetched = fetchedHead(reader, 'BRANCH_NAME') ?? fetchedHead(reader, 'CHANGE_BRANCH');
  if (fetched) return fetched;
  return unlessMerge(reader, reader.text('GIT_COMMIT'));
}

function fetchedHead(reader: Reader, variable: string): Known<string> | undefined {
  const branch = reader.optional(variable);
  if (!branch || !/^[\w./-]+$/.test(branch.value) || branch.value.includes('..')) return undefined;
  return commitOf(reader, `refs/remotes/origin/${branch.value}`, `${variable}, git rev-parse`);
}

function builtBranch(reader: Reader): Known<string> | undefined {
  if (reader.has('TAG_NAME')) return undefined;
  return reader.first('BRANCH_NAME', 'GIT_LOCAL_BRANCH') ?? withoutRemote(reader.optional('GIT_BRANCH'));
}
