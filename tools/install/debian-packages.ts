import { spawnSync } from 'node:child_process';
import { runProgram } from '../release/run-program.ts';

/** Installs the packages of the distribution that are missing, as only root can. */
export function installPackages(...names: readonly string[]): void {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0) {
    throw new Error(`Packages are missing, and only root can install them: apt-get install ${missing.join(' ')}`);
  }
  runProgram('apt-get', ['update', '-q']);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  runProgram('apt-get', ['install', '-qy', '--no-install-recommends', ...missing], { env });
}

/** A package that was removed is still known while its settings remain. */
function isInstalled(name: string): boolean {
  const { status, stdout } = spawnSync('dpkg-query', ['--show', '--showformat=${db:Status-Status}', name]);
  return status === 0 && stdout.toString() === 'installed';
}
