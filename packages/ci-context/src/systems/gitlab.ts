import type { Facts, Known } from '../ci-context.ts';
import { commitFrom, mergedCommit, pushedCommit, unlessMerge } from '../commit.ts';
import type { Reader } from '../reader.ts';

export function readGitlab(reader: Reader): Facts {
  const request = mergeRequest(reader);
  return {
    commit: request ? headCommit(reader) : pushedCommit(reader, reader.text('CI_COMMIT_SHA')),
    branch: request
      ? reader.first(
          'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME',
          'CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_NAME',
          'CI_COMMIT_REF_NAME',
        )
      : pushedBranch(reader),
    tag: reader.optional('CI_COMMIT_TAG'),
    defaultBranch: reader.optional('CI_DEFAULT_BRANCH'),
    pullRequest: request,
    repository: {
      id: reader.text('CI_PROJECT_ID'),
      name: reader.text('CI_PROJECT_PATH'),
      remote: reader.text('CI_PROJECT_URL'),
      provider: { value: 'gitlab', source: 'GITLAB_CI', trust: 'ci' },
    },
    buildUrl: reader.address('CI_JOB_URL') ?? reader.address('CI_PIPELINE_URL'),
    buildNumber: reader.optional('CI_PIPELINE_IID'),
    actor: reader.optional('GITLAB_USER_LOGIN'),
  };
}

function mergeRequest(reader: Reader): Facts['pullRequest'] {
  const number = reader.first('CI_MERGE_REQUEST_IID', 'CI_EXTERNAL_PULL_REQUEST_IID');
  const source = reader.optional('CI_PIPELINE_SOURCE')?.value;
  if (!number && !isMergeResult(reader) && source !== 'merge_request_event') return undefined;
  const project = reader.optional('CI_MERGE_REQUEST_IID') && reader.address('CI_MERGE_REQUEST_PROJECT_URL');
  return {
    number,
    url: project && number && pageOf(project, number),
    baseBranch: reader.first('CI_MERGE_REQUEST_TARGET_BRANCH_NAME', 'CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_NAME'),
  };
}

function pageOf(project: Known<string>, number: Known<string>): Known<string> | undefined {
  if (!/^\d+$/.test(number.value)) return undefined;
  return {
    value: `${project.value}/-/merge_requests/${number.value}`,
    source: `${project.source}, ${number.source}`,
    trust: 'ci',
  };
}

function isMergeResult(reader: Reader): boolean {
  const type = reader.optional('CI_MERGE_REQUEST_EVENT_TYPE')?.value;
  return type === 'merged_result' || type === 'merge_train';
}

/** The head is given only where the pipeline runs on the merge; elsewhere the commit is the head. */
function headCommit(reader: Reader): Known<string> | undefined {
  const head = reader.first('CI_MERGE_REQUEST_SOURCE_BRANCH_SHA', 'CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_SHA');
  if (head) return commitFrom(reader, head);
  const commit = reader.text('CI_COMMIT_SHA');
  if (reader.optional('CI_MERGE_REQUEST_EVENT_TYPE')?.value === 'detached') return commitFrom(reader, commit);
  return isMergeResult(reader) ? mergedCommit(reader, commit) : unlessMerge(reader, commit);
}

function pushedBranch(reader: Reader): Known<string> | undefined {
  const isTag = reader.has('CI_COMMIT_TAG');
  return reader.optional('CI_COMMIT_BRANCH') ?? (isTag ? undefined : reader.optional('CI_COMMIT_REF_NAME'));
}
