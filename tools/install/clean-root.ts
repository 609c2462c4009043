import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mirror } from '../image/sources.ts';
import { runProgram } from '../release/run-program.ts';
import { dataDir } from '../services/endpoints.ts';

/** A Debian 12 as it is after its installation, entered by `chroot`: systemd does not run in it. */
export interface CleanRoot {
  readonly path: string;
  /** Runs commands as root and returns what they printed; throws when one fails. */
  run(commands: string): string;
  /** As systemd would have done when the package was installed. */
  startPostgres(): void;
  leave(): void;
}

const CACHE = join(dataDir, 'docker/clean-root.tar');

/** Its files, made once. */
export function cleanRootArchive(): string {
  if (!existsSync(CACHE)) {
    mkdirSync(join(dataDir, 'docker'), { recursive: true });
    runProgram('mmdebstrap', ['--quiet', '--format=tar', '--variant=minbase', 'bookworm', `${CACHE}.part`, mirror()]);
    runProgram('mv', [`${CACHE}.part`, CACHE]);
  }
  return CACHE;
}

export function cleanRoot(): CleanRoot {
  const path = mkdtempSync(join(tmpdir(), 'clean-root-'));
  runProgram('tar', ['-xf', cleanRootArchive(), '-C', path]);
  runProgram('chmod', ['755', path]);
  copyFileSync('/etc/resolv.conf', join(path, 'etc/resolv.conf'));
  runProgram('mount', ['-t', 'proc', 'proc', join(path, 'proc')]);
  runProgram('mount', ['--bind', '/dev', join(path, 'dev')]);
  const run = (commands: string): string => {
    const { status, stdout, stderr } = spawnSync(
      'chroot',
      [path, 'bash', '-euo', 'pipefail', '-c', `cd /root\n${commands}`],
      {
        encoding: 'utf8',
        env: {
          PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
          HOME: '/root',
          DEBIAN_FRONTEND: 'noninteractive',
          LANG: 'C.UTF-8',
        },
      },
    );
    if (status !== 0) throw new Error(`in the clean root:\n${commands}\n${stdout}\n${stderr}`);
    return stdout;
  };
  run('apt-get update --quiet');
  return {
    path,
    run,
    startPostgres: () => void run('pg_ctlcluster 15 main status || pg_ctlcluster 15 main start'),
    leave() {
      spawnSync('chroot', [path, 'pg_ctlcluster', '15', 'main', 'stop', '--mode', 'immediate']);
      for (const folder of ['dev', 'proc']) runProgram('umount', ['--lazy', join(path, folder)]);
      rmSync(path, { recursive: true });
    },
  };
}
