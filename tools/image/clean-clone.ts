import { cpSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../release/run-program.ts';
import { dataDir } from '../services/endpoints.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Clones this repository at a commit or tag into a new folder, with its dependencies. The caller removes it. */
export function cleanClone(commit: string): string {
  const clone = mkdtempSync(join(tmpdir(), 'clone-'));
  runProgram('git', ['clone', '--quiet', '--no-local', ROOT, clone]);
  runProgram('git', ['-C', clone, 'checkout', '--quiet', commit]);
  runProgram('pnpm', ['install', '--frozen-lockfile'], { cwd: clone });
  // What the locks pin by digest need not be downloaded again.
  const fetched = join(dataDir, 'images');
  if (existsSync(fetched)) cpSync(fetched, join(clone, '.services/images'), { recursive: true });
  return clone;
}
