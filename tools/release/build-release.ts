import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { version } from '../../apps/cli/src/run/version.ts';
import { buildImages } from '../image/build-images.ts';
import { BINARY, buildBinary, buildPackage, packPackage, sizeOf, writeChecksums } from './build-cli.ts';
import { buildLibrary } from './build-library.ts';
import { notesOf } from './changelog.ts';
import { type Chart, packCharts } from './charts.ts';
import { writeComposeFiles } from './compose-files.ts';
import { runProgram } from './run-program.ts';
import { writeSboms } from './sbom/write-sboms.ts';

/**
 * Everything that a release consists of, in one folder: packages for npm, the binary, images as an OCI layout, charts,
 * compose files, a Debian package if there is a builder for it, SBOMs, release notes, and SHA256SUMS.
 *
 *   node tools/release/build-release.ts OUT --tag v1.2.3 --repository URL [--parts npm,binary]
 */

const ROOT = join(import.meta.dirname, '../..');

/** A script that builds a Debian package into the folder that it is given. There may be none. */
const DEBIAN = 'tools/debian/build-*.ts';

export const PARTS = ['npm', 'binary', 'images', 'charts', 'compose', 'debian', 'sboms'] as const;
export type Part = (typeof PARTS)[number];

export const NPM_PACKAGES = ['contract', 'client', 'transparency', 'time-stamps', 'cli'] as const;
export const IMAGES_FOLDER = 'images';
export const NOTES = 'RELEASE_NOTES.md';

export interface ReleaseRequest {
  readonly out: string;
  /** What is released, as git calls it. Must fit the version in the sources. */
  readonly tag: string;
  /** Where the sources are. npm compares it with where a package was built. */
  readonly repository: string;
  readonly parts: readonly Part[];
}

export interface Release {
  readonly out: string;
  /** The names of all files that SHA256SUMS lists. */
  readonly files: readonly string[];
  /** The digests of images by name. */
  readonly images: Readonly<Record<string, string>>;
  readonly charts: readonly Chart[];
}

export async function buildRelease({ out, tag, repository, parts }: ReleaseRequest): Promise<Release> {
  if (tag !== `v${version}`) throw new Error(`the tag is ${tag}, and the version ${version}: they must be the same`);
  const notes = notesOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version);
  await mkdir(out, { recursive: true });
  const has = (part: Part) => parts.includes(part);
  const files: string[] = [];
  if (has('npm')) files.push(...(await buildNpm(out, repository)));
  if (has('binary')) {
    await buildBinary(out);
    files.push(BINARY);
  }
  const images = has('images') ? await buildImages(join(out, IMAGES_FOLDER)) : {};
  const charts = has('charts') ? packCharts(out) : [];
  files.push(...charts.map(({ file }) => file));
  if (has('compose')) files.push(...writeComposeFiles(out, images));
  if (has('debian')) files.push(...buildDebian(out));
  if (has('sboms')) files.push(...writeSboms(out));
  writeFileSync(join(out, NOTES), releaseNotes(notes, images));
  writeChecksums(out, files);
  return { out, files, images, charts };
}

async function buildNpm(out: string, repository: string): Promise<string[]> {
  const packages = join(out, 'packages');
  await mkdir(packages, { recursive: true });
  await buildPackage(join(packages, 'cli'));
  await buildLibrary(packages);
  return NPM_PACKAGES.map((name) => {
    const directory = join(packages, name);
    nameRepository(join(directory, 'package.json'), repository);
    return packPackage(directory, out);
  });
}

function nameRepository(path: string, url: string): void {
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  const repository = { type: 'git', url: `git+${url}.git` };
  writeFileSync(path, `${JSON.stringify({ ...manifest, repository }, null, 2)}\n`);
}

function buildDebian(out: string): string[] {
  const [builder] = globSync(DEBIAN, { cwd: ROOT, exclude: ['**/*.test.ts'] });
  if (builder === undefined) return [];
  runProgram(process.execPath, [join(ROOT, builder), out]);
  return globSync('*.deb', { cwd: out }).toSorted();
}

/** People who verify an image need its digest from elsewhere than the registry. */
function releaseNotes(notes: string, images: Readonly<Record<string, string>>): string {
  const rows = Object.entries(images).map(
    ([name, digest]) => `| \`ghcr.io/waymark/${name}:${version}\` | \`${digest}\` |`,
  );
  if (rows.length === 0) return notes;
  return `${notes}\n## Images\n\n| image | digest |\n| --- | --- |\n${rows.join('\n')}\n`;
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { tag: { type: 'string' }, repository: { type: 'string' }, parts: { type: 'string' } },
  });
  const [out] = positionals;
  const { tag, repository } = values;
  const parts = values.parts === undefined ? PARTS : PARTS.filter((part) => values.parts?.split(',').includes(part));
  if (!out || !tag || !repository) {
    throw new Error('node tools/release/build-release.ts OUT --tag v1.2.3 --repository URL [--parts npm,binary]');
  }
  const { files, images } = await buildRelease({ out: resolve(out), tag, repository, parts });
  for (const name of files) process.stdout.write(`${name}  ${sizeOf(join(out, name))} bytes\n`);
  for (const [name, digest] of Object.entries(images)) process.stdout.write(`${name}  ${digest}\n`);
}
