import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { version } from '../../apps/cli/src/run/version.ts';
import { buildWeb } from '../demo/build-web.ts';
import { type Arch, fetchNode } from '../image/sources.ts';
import { buildPackage } from '../release/build-cli.ts';
import { buildServer } from '../release/build-server.ts';
import { epochOfCommit } from '../release/epoch.ts';
import { runProgram } from '../release/run-program.ts';
import { buildSite } from '../site/build-site.ts';

/**
 * A Debian package of the server and the command line, with Node and a systemd unit, the same bytes each time.
 *
 *   node tools/debian/build-package.ts OUT
 */

const ROOT = join(import.meta.dirname, '../..');
const FILES = join(import.meta.dirname, 'files');

/** What Node needs, and what the scripts of the package use. */
const DEPENDS = 'libc6 (>= 2.34), libstdc++6 (>= 12), libatomic1, adduser, util-linux, ca-certificates';

/** Where each file goes, and whether it is a program. */
const PLACES: readonly (readonly [file: string, place: string, mode: number])[] = [
  ['waymark.service', 'lib/systemd/system/waymark.service', 0o644],
  ['waymark.env', 'etc/waymark/waymark.env', 0o640],
  ['waymark-server', 'usr/bin/waymark-server', 0o755],
  ['waymark', 'usr/bin/waymark', 0o755],
];
const DOCUMENTS = ['README.md', 'docs/configuration.md', 'docs/install.md', 'docs/operations.md'];

/** `~` sorts before everything in a Debian version, so a candidate is older than its release. */
export function debianVersion(from: string): string {
  return from.replace('-', '~');
}

/** Returns the path of the package. */
export async function buildDebianPackage(out: string, arch: Arch = 'amd64'): Promise<string> {
  mkdirSync(out, { recursive: true });
  const root = mkdtempSync(join(tmpdir(), 'debian-'));
  chmodSync(root, 0o755);
  try {
    await fill(root, arch);
    const file = join(out, `waymark_${debianVersion(version)}_${arch}.deb`);
    runProgram('dpkg-deb', ['--build', '--root-owner-group', '-Zgzip', root, file], {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(epochOfCommit()) },
    });
    return file;
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function fill(root: string, arch: Arch): Promise<void> {
  const home = join(root, 'usr/lib/waymark');
  await buildServer(join(home, 'server'));
  buildWeb();
  cpSync(join(ROOT, 'apps/web/dist'), join(home, 'server/web'), { recursive: true });
  buildSite(join(home, 'server/web/help'));
  await buildPackage(join(home, 'cli'));
  put(fetchNode(arch), join(home, 'node'), 0o755);
  for (const [file, place, mode] of PLACES) put(join(FILES, file), join(root, place), mode);
  for (const document of DOCUMENTS) {
    put(join(ROOT, document), join(root, 'usr/share/doc/waymark', document.replace('docs/', '')), 0o644);
  }
  put(join(ROOT, 'LICENSE'), join(root, 'usr/share/doc/waymark/copyright'), 0o644);
  for (const script of ['postinst', 'prerm', 'postrm']) put(join(FILES, script), join(root, 'DEBIAN', script), 0o755);
  writeFileSync(join(root, 'DEBIAN/conffiles'), '/etc/waymark/waymark.env\n');
  writeFileSync(join(root, 'DEBIAN/control'), controlOf(arch));
}

function put(from: string, to: string, mode: number): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o755 });
  copyFileSync(from, to);
  chmodSync(to, mode);
}

function controlOf(arch: Arch): string {
  return `Package: waymark
Version: ${debianVersion(version)}
Architecture: ${arch}
Maintainer: The Waymark authors <noreply@waymark.invalid>
Depends: ${DEPENDS}
Recommends: postgresql
Section: devel
Priority: optional
Description: flight recorder for software delivery
 Records software artifacts, the evidence about them and what runs in every
 environment; judges it against versioned policies and explains every verdict.
`;
}

if (import.meta.main) {
  const { positionals } = parseArgs({ allowPositionals: true });
  process.stdout.write(`${await buildDebianPackage(resolve(positionals[0] ?? join(ROOT, 'dist')))}\n`);
}
