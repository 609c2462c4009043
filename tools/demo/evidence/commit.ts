import { secondsOf } from '../moments.ts';
import type { Release } from '../release-plan.ts';
import type { Words } from '../words.ts';

const GIT = 'https://git.example.com/acme';
export const CI = 'https://ci.example.com/acme';

export function commitInfo(release: Release, words: Words) {
  const { author } = release;
  return {
    sha1: release.commit,
    message: words.text(release.message),
    author: words.text(`${author.name} <${author.username}@example.com>`),
    author_username: author.username,
    branch: 'main',
    timestamp: secondsOf(release.committedAt),
    url: commitUrl(release),
    parents: [release.parent],
    verified: true,
  };
}

export function commitUrl({ service, commit }: Release): string {
  return `${GIT}/${service}/commit/${commit}`;
}

export function repoInfo({ service }: Release) {
  return {
    name: `acme/${service}`,
    url: `${GIT}/${service}`,
    id: `repo-${service}`,
    provider: 'github',
    namespace_path: ['acme'],
  };
}

export function pullRequestUrl({ service, pullRequest }: Release): string {
  return `${GIT}/${service}/pull/${pullRequest}`;
}

export function buildUrl({ service, trail }: Release): string {
  return `${CI}/${service}/runs/${trail}`;
}
