import { hash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../release/run-program.ts';
import { dataDir } from '../services/endpoints.ts';
import lock from './base.lock.json' with { type: 'json' };

/** The platforms that images are built for. */
export type Arch = keyof typeof lock.packages;
export const ARCHES = Object.keys(lock.packages) as Arch[];

const CACHE = join(dataDir, 'images');
const NPM_ARCH: Record<Arch, string> = { amd64: 'x64', arm64: 'arm64' };

export interface DebianPackage {
  readonly name: string;
  readonly file: string;
}

/** The Debian packages that the lock names. */
export async function fetchPackages(arch: Arch): Promise<DebianPackage[]> {
  const fetched: DebianPackage[] = [];
  for (const { name, path, sha256 } of lock.packages[arch]) {
    fetched.push({ name, file: await fetchDebianFile(path, sha256, 'tools/image/base.lock.json') });
  }
  return fetched;
}

/** Returns a file of the Debian archive, checked against the digest in a lock. */
export async function fetchDebianFile(path: string, sha256: string, lockedBy: string): Promise<string> {
  mkdirSync(CACHE, { recursive: true });
  const file = join(CACHE, `${sha256}.deb`);
  if (!existsSync(file)) await download(`${mirror()}/${path}`, file, sha256, lockedBy);
  return file;
}

/** Returns the folder of an unpacked package of the Debian archive, for programs that are used without being installed. */
export async function unpackDebianFile(path: string, sha256: string, lockedBy: string): Promise<string> {
  const folder = join(CACHE, `unpacked-${sha256}`);
  if (existsSync(folder)) return folder;
  const file = await fetchDebianFile(path, sha256, lockedBy);
  const work = mkdtempSync(`${folder}-`);
  runProgram('dpkg-deb', ['--extract', file, work]);
  renameSync(work, folder);
  return folder;
}

async function download(url: string, file: string, sha256: string, lockedBy: string): Promise<void> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}: renew ${lockedBy}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const found = hash('sha256', bytes);
  if (found !== sha256) throw new Error(`${url} has the digest ${found} instead of ${sha256}`);
  writeFileSync(`${file}.part`, bytes);
  renameSync(`${file}.part`, file);
}

/** The mirror that this machine gets its own packages from. */
export function mirror(): string {
  const given = process.env['WAYMARK_DEBIAN_MIRROR'];
  if (given) return given.replace(/\/$/, '');
  const files = globSync(['/etc/apt/sources.list', '/etc/apt/sources.list.d/*']);
  const found = files.flatMap(
    (file) => /^(?:URIs:|deb(?: \[.*\])?) +(\S+\/debian)\/?(?: |$)/m.exec(readFileSync(file, 'utf8')) ?? [],
  );
  if (!found[1]) throw new Error('No Debian mirror is known: set WAYMARK_DEBIAN_MIRROR');
  return found[1];
}

/** Returns the program `node` of the version in the lock, as npm has it. */
export function fetchNode(arch: Arch): string {
  const { version, integrity } = lock.node;
  const program = join(CACHE, `node-${version}-${arch}`);
  if (existsSync(program)) return program;
  mkdirSync(CACHE, { recursive: true });
  const work = mkdtempSync(join(CACHE, 'node-'));
  try {
    const name = `node-linux-${NPM_ARCH[arch]}@${version}`;
    runProgram('npm', ['pack', name, '--pack-destination', work, '--ignore-scripts']);
    const [packed = ''] = globSync(join(work, '*.tgz'));
    const found = `sha512-${hash('sha512', readFileSync(packed), 'base64')}`;
    if (found !== integrity[arch]) throw new Error(`${name} has the digest ${found} instead of ${integrity[arch]}`);
    runProgram('tar', ['-xzf', packed, '-C', work, 'package/bin/node']);
    renameSync(join(work, 'package/bin/node'), program);
    return program;
  } finally {
    rmSync(work, { recursive: true });
  }
}
