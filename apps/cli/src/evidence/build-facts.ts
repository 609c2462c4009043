import type { GitCommitInfo, RepoInfo } from '@waymark/contract';
import type { Session } from '../run/session.ts';

const SHORT = 12;

/** Returns the facts of the commit that is built: from the CI system, and from git where it has the commit. */
export function commitInfo(session: Session, commit = session.ci().commit?.value): { git_commit_info?: GitCommitInfo } {
  if (commit === undefined) return {};
  // The CI system describes the commit that it builds, and no other.
  const { branch, commitUrl, pullRequest } = session.ci().commit?.value === commit ? session.ci() : {};
  const [author, at, committer, parents = '', ...message] =
    git(session, 'log', '-1', '--format=%an <%ae>%n%at%n%cn <%ce>%n%P%n%B', commit)?.split('\n') ?? [];
  return {
    git_commit_info: {
      sha1: commit,
      ...(author && { author, timestamp: Number(at), message: message.join('\n').trim() }),
      ...(committer && { committer }),
      ...(parents && { parents: parents.split(' ') }),
      ...(branch && { branch: branch.value }),
      ...(commitUrl && { url: commitUrl.value }),
      ...(pullRequest && { pull_request: pullRequest.value }),
    },
  };
}

export function repoInfo(session: Session): { repo_info?: RepoInfo } {
  const { repository } = session.ci();
  if (!repository?.name) return {};
  const { name, id, url, provider } = repository;
  return {
    repo_info: {
      name: name.value,
      ...(id && { id: id.value }),
      ...(url && { url: url.value }),
      ...(provider && { provider: provider.value }),
    },
  };
}

/** Prints once what is recorded about the build, so that a wrong guess is noticed. */
export function contextLine(session: Session): string {
  const { providerName, commit, pullRequest, branch } = session.ci();
  const parts = [
    providerName,
    commit && `commit ${commit.value.slice(0, SHORT)}${pullRequest ? ` (head of #${pullRequest.value.number})` : ''}`,
    branch && `branch ${branch.value}`,
  ];
  return parts.filter(Boolean).join(' · ');
}

/** Warns about anything that would make the record wrong unnoticed. A given commit needs no warning. */
export function tellDoubts(session: Session, given: string | undefined): void {
  const { commit, doubt } = session.ci();
  if (given === undefined && commit && doubt !== undefined) session.warn(doubt);
}

/** On a laptop: the build may differ from the commit. */
export function tellChanges(session: Session, given: string | undefined): void {
  const { commit, dirty } = session.ci();
  if (given !== undefined || !commit || !dirty) return;
  session.warn(
    `There are uncommitted changes, so the evidence for commit ${commit.value.slice(0, SHORT)} may not match ` +
      'this checkout. Commit them first',
  );
}

function git({ io }: Session, ...args: string[]): string | undefined {
  const { status, stdout } = io.run('git', args, { cwd: io.cwd });
  return status === 0 ? stdout : undefined;
}
