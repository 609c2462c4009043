import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDir } from '../services/endpoints.ts';

const home = join(dataDir, 'schemathesis');
const requirements = join(import.meta.dirname, 'requirements.txt');

/**
 * Installs the checker of the API description, in a Python environment of its own. Returns the path of its programs.
 */
export function installSchemathesis(): string {
  const stamp = join(home, 'requirements.txt');
  const pinned = readFileSync(requirements, 'utf8');
  const programs = join(home, 'bin');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === pinned) return programs;
  rmSync(home, { recursive: true, force: true });
  run('python3', ['-m', 'venv', home]);
  run(join(programs, 'pip'), ['install', '--quiet', '--no-deps', '-r', requirements]);
  writeFileSync(stamp, pinned);
  return programs;
}

function run(command: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr}`);
}
