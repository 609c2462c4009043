import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../apps/cli/src/run/version.ts';
import { cleanClone } from '../image/clean-clone.ts';
import { runProgram } from '../release/run-program.ts';

const ROOT = join(import.meta.dirname, '../..');

/** What people have who upgrade: the release before this one, built from its tag. */
export interface PreviousRelease {
  readonly version: string;
  /** An OCI layout. */
  readonly images: string;
  /** A folder with the Debian package. */
  readonly deb: string;
  /** The folder of the charts. */
  readonly charts: string;
  readonly compose: string;
  remove(): void;
}

export function buildPreviousRelease(): PreviousRelease {
  const tag = previousTag();
  const clone = cleanClone(tag);
  const [images, deb] = [join(clone, 'dist/images'), join(clone, 'dist/deb')];
  const build = (script: string, out: string) => runProgram(process.execPath, [script, out], { cwd: clone });
  build('tools/image/build-images.ts', images);
  build('tools/debian/build-package.ts', deb);
  return {
    version: tag.slice(1),
    images,
    deb,
    charts: join(clone, 'deploy/helm'),
    compose: join(clone, 'compose.yaml'),
    remove: () => rmSync(clone, { recursive: true }),
  };
}

function previousTag(): string {
  const tags = runProgram('git', ['-C', ROOT, 'tag', '--merged', 'HEAD', '--sort', '-v:refname', '--list', 'v*']);
  const [found] = tags
    .toString()
    .split('\n')
    .filter((tag) => tag !== '' && tag !== `v${version}`);
  if (found === undefined) throw new Error('there is no tag of a release before this one: run `git fetch --tags`');
  return found;
}
