import { globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../release/run-program.ts';
import { USER } from './oci-layout.ts';
import { type Arch, type DebianPackage, fetchPackages } from './sources.ts';

/** Nobody reads these in a container, and they are half of the size. */
const LEFT_OUT = [
  './usr/share/doc/*/changelog*',
  './usr/share/doc/*/NEWS*',
  './usr/share/locale',
  './usr/share/man',
  './usr/share/lintian',
  './usr/share/info',
  './usr/share/zoneinfo/right',
  './usr/lib/*/gconv',
];

/** The libraries that Node needs, certificates and time zones, without a shell and without a package manager. */
export async function fillBase(root: string, arch: Arch): Promise<void> {
  mkdirSync(join(root, 'var/lib/dpkg/status.d'), { recursive: true });
  for (const folder of ['etc', 'home', 'tmp', 'usr/bin', 'usr/lib', 'usr/lib64', 'usr/sbin']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  for (const name of ['bin', 'lib', 'lib64', 'sbin']) symlinkSync(`usr/${name}`, join(root, name));
  for (const pack of await fetchPackages(arch)) unpack(root, pack);
  writeFileSync(
    join(root, 'etc/passwd'),
    `root:x:0:0:root:/root:/sbin/nologin\nwaymark:x:${USER}:${USER}::/home/waymark:/sbin/nologin\n`,
  );
  writeFileSync(join(root, 'etc/group'), `root:x:0:\nwaymark:x:${USER}:\n`);
  writeFileSync(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  const certificates = globSync(join(root, 'usr/share/ca-certificates/mozilla/*.crt')).sort();
  mkdirSync(join(root, 'etc/ssl/certs'), { recursive: true });
  writeFileSync(
    join(root, 'etc/ssl/certs/ca-certificates.crt'),
    certificates.map((file) => readFileSync(file, 'utf8')).join(''),
  );
}

/** Scanners find out from `status.d` which packages there are, as in other images without a package manager. */
function unpack(root: string, { name, file }: DebianPackage): void {
  const left = LEFT_OUT.map((path) => `--exclude=${path}`);
  runProgram('tar', ['-x', '-C', root, '--no-same-owner', '--keep-directory-symlink', ...left], {
    input: runProgram('dpkg-deb', ['--fsys-tarfile', file]),
  });
  const fields = runProgram('dpkg-deb', ['--field', file]).toString();
  writeFileSync(join(root, 'var/lib/dpkg/status.d', name), `${fields}Status: install ok installed\n`);
}
