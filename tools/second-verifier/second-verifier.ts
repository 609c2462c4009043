import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installPython, pythonPrograms } from '../services/python.ts';

const SCRIPT = join(import.meta.dirname, '../../docs/public/verify_package.py');

export interface Verified {
  readonly code: number | null;
  readonly output: string;
}

/** Installs what the verifier in Python needs, and returns the verifier. */
export async function openSecondVerifier(): Promise<(file: string, policy: string) => Verified> {
  await installPython('second-verifier', join(import.meta.dirname, 'requirements.txt'));
  const python = join(pythonPrograms('second-verifier'), 'python3');
  return (file, policy) => {
    const { status, stdout, stderr } = spawnSync(python, ['-B', SCRIPT, file, policy], { encoding: 'utf8' });
    return { code: status, output: `${stdout}${stderr}` };
  };
}
