import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fetchDebianFile } from '../image/sources.ts';
import { runProgram } from '../release/run-program.ts';
import { CACHE, CONTAINERD, ETCD, KUBE, PAUSE, VERSION } from './programs.ts';

/**
 * Builds the programs of a real Kubernetes once, into a folder that all clones share. Takes 20 minutes of processor time.
 *
 *   node tools/kubernetes/build.ts
 */

const SOURCES = join(import.meta.dirname, 'programs');

/** Of Debian unstable, because containerd 2 is not in Debian 12. Unpacked and not installed: they need libc only. */
const PACKAGES = [
  {
    path: 'pool/main/c/containerd/containerd_2.1.9+ds1-5_amd64.deb',
    sha256: '2dda86ce7033fd612fc50e136679d8174ccad680eb29cd4611e0d2a1b84cf591',
    program: CONTAINERD,
  },
  {
    path: 'pool/main/e/etcd/etcd-server_3.5.30-2_amd64.deb',
    sha256: '11a4f7e350c5020b83edff5160a6063d4e56ac9cd014d21ce8916378bf96de79',
    program: ETCD,
  },
];

function versionFlags(): string {
  const [major = '', minor = ''] = VERSION.split('.');
  const values = {
    gitVersion: `v${VERSION}`,
    gitMajor: major,
    gitMinor: minor,
    gitCommit: 'none',
    gitTreeState: 'clean',
    buildDate: '2026-01-01T00:00:00Z',
  };
  const packages = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
  return packages.flatMap((name) => Object.entries(values).map((each) => `-X ${name}.${each.join('=')}`)).join(' ');
}

function buildGo(name: string, out: string, flags = ''): void {
  if (existsSync(out)) return;
  const args = ['CGO_ENABLED=0', 'go', 'build', '-trimpath', '-ldflags', `-s -w ${flags}`, '-o', `${out}.part`];
  runProgram('env', [...args, `./${name}`], { cwd: SOURCES });
  renameSync(`${out}.part`, out);
}

/** Builds and fetches what is missing. */
export async function buildKubernetes(): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  for (const { path, sha256, program } of PACKAGES) {
    if (existsSync(program)) continue;
    const file = await fetchDebianFile(path, sha256, 'tools/kubernetes/build.ts');
    runProgram('dpkg-deb', ['--extract', file, CACHE]);
  }
  buildGo('pause', PAUSE);
  buildGo('kube', KUBE, versionFlags());
}

if (import.meta.main) {
  await buildKubernetes();
  process.stdout.write(`Kubernetes ${VERSION} is in ${CACHE}\n`);
}
