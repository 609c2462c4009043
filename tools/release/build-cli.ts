import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { runProgram } from './run-program.ts';

/**
 * What is released of the command line: a package for npm that needs nothing else, a single binary, and their digests.
 *
 *   node tools/release/build-cli.ts OUT [--binary]
 */

const ROOT = join(import.meta.dirname, '../..');
const ENTRY = join(ROOT, 'apps/cli/src/bin/waymark.ts');
export const BINARY = 'waymark-linux-x64';

interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
}

function readManifest(path: string): Manifest & { engines?: { node: string } } {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}

/** Chunks, of which only those are loaded that a command needs. */
export async function buildPackage(out: string): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  const build = await rolldown({ input: ENTRY, platform: 'node', logLevel: 'warn' });
  await build.write({ dir: join(out, 'dist'), format: 'esm', minify: true, chunkFileNames: '[name]-[hash].js' });
  await build.close();
  const { version, description, license } = readManifest('apps/cli/package.json');
  const { engines } = readManifest('package.json');
  const manifest = {
    name: '@waymark/cli',
    version,
    description,
    license,
    type: 'module',
    bin: { waymark: 'dist/waymark.js' },
    files: ['dist'],
    engines,
    publishConfig: { access: 'public' },
  };
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(join(ROOT, 'LICENSE'), join(out, 'LICENSE'));
  copyFileSync(join(ROOT, 'apps/cli/README.md'), join(out, 'README.md'));
  chmodSync(join(out, 'dist/waymark.js'), 0o755);
}

/** One file with Node in it. Stripped before the program is put in: afterwards it would break. */
export async function buildBinary(out: string): Promise<string> {
  mkdirSync(out, { recursive: true });
  const work = mkdtempSync(join(out, '.binary-'));
  try {
    const bundle = join(work, 'waymark.mjs');
    const build = await rolldown({ input: ENTRY, platform: 'node', logLevel: 'warn' });
    await build.write({ file: bundle, format: 'esm', minify: true, codeSplitting: false });
    await build.close();
    const node = join(work, 'node');
    copyFileSync(process.execPath, node);
    chmodSync(node, 0o755);
    strip(node);
    const config = join(work, 'sea.json');
    writeFileSync(
      config,
      JSON.stringify({
        main: bundle,
        mainFormat: 'module',
        executable: node,
        output: join(work, BINARY),
        disableExperimentalSEAWarning: true,
        useCodeCache: true,
      }),
    );
    runProgram(process.execPath, ['--build-sea', config]);
    renameSync(join(work, BINARY), join(out, BINARY));
    return join(out, BINARY);
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** Without this program the binary is larger, but works. */
function strip(file: string): void {
  const { error, status, stderr } = spawnSync('strip', [file], { encoding: 'utf8' });
  if (error && 'code' in error && error.code === 'ENOENT') return;
  if (status !== 0) throw new Error(`strip: ${error?.message ?? stderr}`);
}

/** Packs as npm does for publishing. Returns the name of the file. */
export function packPackage(directory: string, out: string): string {
  // A path that is not absolute could be the name of a package elsewhere.
  const packed = runProgram(
    'npm',
    ['pack', resolve(directory), '--pack-destination', out, '--json', '--ignore-scripts'],
    {
      cwd: tmpdir(),
    },
  );
  const [file] = JSON.parse(packed.toString()) as { filename: string }[];
  if (!file) throw new Error(`npm packed nothing of ${directory}`);
  return file.filename;
}

/** In the form that `sha256sum -c` reads. */
export function writeChecksums(directory: string, names: readonly string[]): void {
  const lines = names.map((name) => {
    const digest = createHash('sha256')
      .update(readFileSync(join(directory, name)))
      .digest('hex');
    return `${digest}  ${name}\n`;
  });
  writeFileSync(join(directory, 'SHA256SUMS'), lines.join(''));
}

export function sizeOf(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { binary: { type: 'boolean' } } });
  const out = resolve(positionals[0] ?? join(ROOT, 'dist'));
  await buildPackage(join(out, 'npm'));
  const names = [packPackage(join(out, 'npm'), out)];
  if (values.binary) {
    await buildBinary(out);
    names.push(BINARY);
  }
  writeChecksums(out, names);
  for (const name of names) process.stdout.write(`${name}  ${sizeOf(join(out, name))} bytes\n`);
}
