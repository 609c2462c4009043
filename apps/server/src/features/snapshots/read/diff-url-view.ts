/** Where a code host shows a commit. */
export interface CommitPage {
  readonly repository: string;
  readonly sha: string;
  readonly isBitbucket: boolean;
}

/** `https://host/owner/repo/commit/<sha>` and, with a dash before the word, `https://host/group/repo/-/commit/<sha>`. */
const COMMIT = /^(https?:\/\/[^/?#\s]+\/[^?#\s]+)\/commit\/([0-9a-f]{7,64})\/?(?:[?#]|$)/;
const BITBUCKET = /^(https:\/\/bitbucket\.org\/[^/?#\s]+\/[^/?#\s]+)\/commits\/([0-9a-f]{7,64})\/?(?:[?#]|$)/;

export function commitPageOf(url: string): CommitPage | undefined {
  const isBitbucket = url.startsWith('https://bitbucket.org/');
  const [, repository, sha] = (isBitbucket ? BITBUCKET : COMMIT).exec(url) ?? [];
  return repository === undefined || sha === undefined ? undefined : { repository, sha, isBitbucket };
}

/** Returns the page that compares two commits of one repository; empty when it cannot be derived from their pages. */
export function diffUrl(previous: CommitPage | undefined, current: CommitPage | undefined): string {
  if (!(previous && current) || previous.repository !== current.repository || previous.sha === current.sha) return '';
  // That host puts the newer commit first.
  return current.isBitbucket
    ? `${current.repository}/branches/compare/${current.sha}..${previous.sha}#diff`
    : `${current.repository}/compare/${previous.sha}...${current.sha}`;
}
