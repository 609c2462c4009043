import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../apps/cli/src/run/version.ts';
import { cleanClone } from '../image/clean-clone.ts';
import { runProgram } from '../release/run-program.ts';

const ROOT = join(import.meta.dirname, '../..');

/** What people have who upgrade: the release before this one, built from its commit. */
export interface PreviousRelease {
  readonly version: string;
  /** An OCI layout. */
  readonly images: string;
  /** A folder with the Debian package. */
  readonly deb: string;
  /** The folder of the charts. */
  readonly charts: string;
  readonly compose: string;
  /** Whether it runs on the database that this release has migrated. */
  readonly canReturn: boolean;
  remove(): void;
}

export function buildPreviousRelease(): PreviousRelease {
  const previous = previousRelease(ROOT, version);
  const clone = cleanClone(previous.commit);
  const [images, deb] = [join(clone, 'dist/images'), join(clone, 'dist/deb')];
  const build = (script: string, out: string) => runProgram(process.execPath, [script, out], { cwd: clone });
  build('tools/image/build-images.ts', images);
  build('tools/debian/build-package.ts', deb);
  return {
    version: previous.version,
    images,
    deb,
    charts: join(clone, 'deploy/helm'),
    compose: join(clone, 'compose.yaml'),
    canReturn: !isOneWay(ROOT, previous.commit),
    remove: () => rmSync(clone, { recursive: true }),
  };
}

const ONE_WAY = '-- one way:';

/** Whether a migration since that commit says of itself that earlier releases do not run on its result. */
export function isOneWay(repository: string, since: string): boolean {
  const { status, stdout, stderr } = spawnSync(
    'git',
    ['-C', repository, 'diff', '--name-only', '--diff-filter=A', since, 'HEAD', '--', 'apps/server/migrations'],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`Couldn't compare the migrations with ${since}: ${stderr.trim()}`);
  const added = stdout.split('\n').filter((name) => name.endsWith('.sql'));
  return added.some((name) => readFileSync(join(repository, name), 'utf8').startsWith(ONE_WAY));
}

/**
 * The release candidates, newest first. They have no tag in every copy of the repository, because a clone has only the
 * tags of what it was cloned from; a commit that HEAD descends from is in every clone that has the whole history.
 */
export const CANDIDATES: readonly Release[] = [
  { version: '0.1.0-rc.2', commit: 'ec3467b1172353f856daf11f22b42e51ad95d3ba' },
  { version: '0.1.0-rc.1', commit: '156dd997d2b7fd5f1f323c9d0615a9cafa4bb31e' },
];

interface Release {
  readonly version: string;
  /** A commit or a tag. */
  readonly commit: string;
}

/** Returns the newest release other than `current`: that of the newest tag, or a candidate if there is no tag. */
export function previousRelease(repository: string, current: string): Release {
  const git = (...args: string[]) => spawnSync('git', ['-C', repository, ...args], { encoding: 'utf8' });
  const { status, stdout, stderr } = git('tag', '--merged', 'HEAD', '--sort', '-v:refname', '--list', 'v*');
  if (status !== 0) throw new Error(`Couldn't list the tags of ${repository}: ${stderr.trim()}`);
  const [tag] = stdout.split('\n').filter((name) => name !== '' && name !== `v${current}`);
  if (tag !== undefined) return { version: tag.slice(1), commit: tag };
  const candidate = CANDIDATES.find((release) => release.version !== current);
  if (candidate === undefined) throw new Error(`There is no release before ${current}`);
  if (git('merge-base', '--is-ancestor', candidate.commit, 'HEAD').status !== 0) {
    throw new Error(
      `Couldn't find ${candidate.version}, the release before ${current}: there is no tag, and its commit ` +
        `${candidate.commit} is not in the history of HEAD. Fetch the whole history with ` +
        '`git fetch --unshallow --tags`.',
    );
  }
  return candidate;
}
