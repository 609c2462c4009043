import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../release/run-program.ts';
import { dataDir } from './endpoints.ts';
import { withLock } from './lock.ts';

/** The folder of the programs that a requirements file pins. */
export function pythonPrograms(name: string): string {
  return join(dataDir, name, 'bin');
}

/** Installs what a requirements file pins, in a Python environment of its own. Needs `python3` with `venv`. */
export async function installPython(name: string, requirements: string): Promise<void> {
  // Test files run side by side.
  await withLock(async () => {
    const home = join(dataDir, name);
    const stamp = join(home, 'requirements.txt');
    const pinned = readFileSync(requirements, 'utf8');
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === pinned) return;
    rmSync(home, { recursive: true, force: true });
    runProgram('python3', ['-m', 'venv', home]);
    runProgram(join(home, 'bin/pip'), ['install', '--quiet', '--no-deps', '-r', requirements]);
    writeFileSync(stamp, pinned);
  }, 'waymark-python');
}
