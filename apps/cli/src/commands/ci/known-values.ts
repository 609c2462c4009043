import type { CiContext, Known } from '@waymark/ci-context';

export interface KnownValue {
  readonly name: string;
  readonly value: string;
  readonly source: string;
  /** `ci` was set by the CI system, `git` was read from the checkout, `user` was given by the user. */
  readonly trust: 'ci' | 'git' | 'user' | 'built in';
}

/** Everything known about the build, one value at a time. */
export function knownValues(ci: CiContext): KnownValue[] {
  const { repository, pullRequest } = ci;
  const { number, url, baseBranch } = pullRequest?.value ?? {};
  const ofPullRequest = (value: string | undefined) => value !== undefined && pullRequest && { ...pullRequest, value };
  const all: readonly (readonly [name: string, known: Known<string> | false | undefined])[] = [
    ['commit', ci.commit],
    ['branch', ci.branch],
    ['tag', ci.tag],
    ['default branch', ci.defaultBranch],
    ['pull request', ofPullRequest(number)],
    ['pull request page', ofPullRequest(url)],
    ['target branch', ofPullRequest(baseBranch)],
    ['repository', repository?.name],
    ['repository id', repository?.id],
    ['repository page', repository?.url],
    ['repository provider', repository?.provider],
    ['build page', ci.buildUrl],
    ['build number', ci.buildNumber],
    ['attempt', ci.attempt],
    ['actor', ci.actor],
    ['commit page', ci.commitUrl],
  ];
  return all.flatMap(([name, known]) => (known ? [{ name, ...known }] : []));
}

/** How the job can prove its identity. Names of variables only. */
export function identityText({ oidc }: CiContext): string {
  if (!oidc) return 'none';
  if (oidc.kind === 'buildkite') return 'requested with buildkite-agent';
  return oidc.kind === 'ready' ? `in ${oidc.variable}` : `requested from ${oidc.urlVariable}`;
}
