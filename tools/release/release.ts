import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { version } from '../../apps/cli/src/run/version.ts';
import { BINARY, buildBinary, buildPackage, packPackage, sizeOf, writeChecksums } from './build-cli.ts';
import { buildLibrary } from './build-library.ts';

/**
 * Everything that a release consists of, in one folder: packages for npm, the binary, and SHA256SUMS.
 *
 *   node tools/release/release.ts OUT --tag v1.2.3 --repository URL [--no-binary]
 */

export interface Release {
  readonly out: string;
  /** What is released, as git calls it. Must fit the version in the sources. */
  readonly tag: string;
  /** Where the sources are. npm compares it with where a package was built. */
  readonly repository: string;
  readonly hasBinary: boolean;
}

/** Returns the names of what was built. */
export async function buildRelease({ out, tag, repository, hasBinary }: Release): Promise<string[]> {
  if (tag !== `v${version}`) throw new Error(`the tag is ${tag}, and the version ${version}: they must be the same`);
  const packages = join(out, 'packages');
  await mkdir(packages, { recursive: true });
  await buildPackage(join(packages, 'cli'));
  await buildLibrary(packages);
  const names = ['contract', 'client', 'cli'].map((name) => {
    const directory = join(packages, name);
    nameRepository(join(directory, 'package.json'), repository);
    return packPackage(directory, out);
  });
  if (hasBinary) {
    await buildBinary(out);
    names.push(BINARY);
  }
  writeChecksums(out, names);
  return names;
}

function nameRepository(path: string, url: string): void {
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  const repository = { type: 'git', url: `git+${url}.git` };
  writeFileSync(path, `${JSON.stringify({ ...manifest, repository }, null, 2)}\n`);
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    allowNegative: true,
    options: { tag: { type: 'string' }, repository: { type: 'string' }, binary: { type: 'boolean', default: true } },
  });
  const [out] = positionals;
  const { tag, repository, binary: hasBinary } = values;
  if (!out || !tag || !repository) {
    throw new Error('node tools/release/release.ts OUT --tag v1.2.3 --repository URL [--no-binary]');
  }
  const names = await buildRelease({ out: resolve(out), tag, repository, hasBinary });
  for (const name of names) process.stdout.write(`${name}  ${sizeOf(join(out, name))} bytes\n`);
}
