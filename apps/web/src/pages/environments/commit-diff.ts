const COMMIT = /^(https?:\/\/[^/?#\s]+\/[^?#\s]+)\/commit\/([0-9a-f]{7,64})\/?(?:[?#]|$)/;
const BITBUCKET = /^(https:\/\/bitbucket\.org\/[^/?#\s]+\/[^/?#\s]+)\/commits\/([0-9a-f]{7,64})\/?(?:[?#]|$)/;

/** The address that shows the commits between two, derived from their own pages; empty if there is none. */
export function commitDiff(before: string, after: string): string {
  const isBitbucket = after.startsWith('https://bitbucket.org/');
  const page = isBitbucket ? BITBUCKET : COMMIT;
  const [, repository, was] = page.exec(before) ?? [];
  const [, same, is] = page.exec(after) ?? [];
  if (repository === undefined || repository !== same || was === undefined || is === undefined || was === is) return '';
  // There the newer commit comes first.
  return isBitbucket ? `${repository}/branches/compare/${is}..${was}#diff` : `${repository}/compare/${was}...${is}`;
}
