import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDir } from '../services/endpoints.ts';

export interface Repository {
  /** As the host of the repository calls it. */
  readonly name: string;
  readonly path: string;
  readonly commit: string;
  /** What a job in the CI of the repository's host finds in its environment. */
  readonly job: Readonly<Record<string, string>>;
}

const AUTHOR = { name: 'Ada Lovelace', email: 'ada@example.com', date: '2026-01-02T03:04:05Z' };

/** A git repository with one commit of these files, a remote that does not exist, and a CI that runs for it. */
export function givenRepository(
  name: string,
  id: string,
  files: Readonly<Record<string, string>>,
  folder = 'repository',
): Repository {
  const path = join(dataDir, 'interop', folder);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  const git = gitIn(path);
  git('init', '--quiet', '--initial-branch', 'main');
  git('remote', 'add', 'origin', `https://github.com/${name}.git`);
  git('add', '.');
  git('commit', '--quiet', '--message', 'Sell shoes');
  const commit = git('rev-parse', 'HEAD').trim();
  return { name, path, commit, job: jobOf(name, id, commit) };
}

/** Git without the settings of the user, so that the same files make the same commit everywhere. */
function gitIn(path: string): (...args: string[]) => string {
  const env = {
    PATH: process.env['PATH'],
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: AUTHOR.name,
    GIT_AUTHOR_EMAIL: AUTHOR.email,
    GIT_AUTHOR_DATE: AUTHOR.date,
    GIT_COMMITTER_NAME: AUTHOR.name,
    GIT_COMMITTER_EMAIL: AUTHOR.email,
    GIT_COMMITTER_DATE: AUTHOR.date,
  };
  return (...args) => execFileSync('git', args, { cwd: path, env, encoding: 'utf8' });
}

function jobOf(name: string, id: string, commit: string): Record<string, string> {
  return {
    GITHUB_RUN_NUMBER: '7',
    GITHUB_RUN_ID: '42',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: name,
    GITHUB_REPOSITORY_ID: id,
    GITHUB_REPOSITORY_OWNER: name.split('/')[0] ?? '',
    GITHUB_SHA: commit,
  };
}
