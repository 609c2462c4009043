import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');
const PACKAGES = ['contract', 'client', 'transparency', 'time-stamps'] as const;
const DESCRIPTIONS: Record<(typeof PACKAGES)[number], string> = {
  contract: 'The operations of the Waymark API, with their schemas',
  client: 'A typed client of the Waymark API, for Node and browsers',
  transparency: 'Verifies proofs of the Waymark ledger, and of other C2SP logs, without a network',
  'time-stamps': 'Requests and verifies time stamps of RFC 3161, for Node and browsers',
};

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Builds packages for npm, each into a folder with its name. */
export async function buildLibrary(out: string): Promise<void> {
  await mkdir(out, { recursive: true });
  const compiled = await compile(out);
  const { engines } = await readManifest('.');
  const { catalog } = parse(await readFile(join(ROOT, 'pnpm-workspace.yaml'), 'utf8')) as {
    catalog: Readonly<Record<string, string>>;
  };
  for (const name of PACKAGES) {
    const folder = join(out, name);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    await rename(join(compiled, name, 'src'), join(folder, 'dist'));
    await nameCompiledFiles(join(folder, 'dist'));
    await cp(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
    const manifest = publishedManifest(await readManifest(`packages/${name}`), DESCRIPTIONS[name], engines, catalog);
    await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  }
  await cp(join(ROOT, 'docs/client.md'), join(out, 'client/README.md'));
  for (const name of ['transparency', 'time-stamps'])
    await cp(join(ROOT, 'packages', name, 'README.md'), join(out, name, 'README.md'));
  await rm(compiled, { recursive: true });
}

/** All at once: what the client imports of the contract is then found where it is in the repository. */
async function compile(out: string): Promise<string> {
  const folder = await mkdtemp(join(out, 'compiled-'));
  const config = join(folder, 'tsconfig.json');
  await writeFile(
    config,
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        target: 'es2023',
        rootDir: join(ROOT, 'packages'),
        outDir: folder,
        typeRoots: [join(ROOT, 'node_modules/@types')],
      },
      include: PACKAGES.map((name) => join(ROOT, 'packages', name, 'src')),
      exclude: ['**/*.test.ts', '**/node_modules'].map((pattern) => join(ROOT, pattern)),
    }),
  );
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '--project', config]).catch((error: { stdout?: string }) => {
    throw new Error(`the packages do not compile:\n${error.stdout}`);
  });
  return folder;
}

/** The compiler leaves the names of source files in declarations, which are not published. */
async function nameCompiledFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const path = join(folder, name);
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace(/(['"]\.{1,2}\/[\w/-]+)\.ts(['"])/g, '$1.js$2'));
  }
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;
}

function publishedManifest(
  { name, version, license, dependencies = {} }: Manifest,
  description: string,
  engines: Manifest['engines'],
  catalog: Readonly<Record<string, string>>,
) {
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    sideEffects: false,
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    files: ['dist'],
    engines,
    publishConfig: { access: 'public' },
    dependencies: Object.fromEntries(
      Object.entries(dependencies).map(([dependency, range]) => [
        dependency,
        published(dependency, range, version, catalog),
      ]),
    ),
  };
}

/** Our packages are released together. For others a later version is fine, so that a user has them once. */
function published(
  dependency: string,
  range: string,
  ownVersion: string,
  catalog: Readonly<Record<string, string>>,
): string {
  if (range === 'workspace:*') return ownVersion;
  const version = catalog[dependency];
  if (range !== 'catalog:' || version === undefined) throw new Error(`${dependency} has no version in the catalog`);
  return `^${version}`;
}

if (import.meta.main) {
  const [out] = process.argv.slice(2);
  if (!out) throw new Error('say where to: node tools/release/build-library.ts OUT');
  await buildLibrary(resolve(out));
}
