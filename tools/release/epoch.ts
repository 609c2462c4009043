import { join } from 'node:path';
import { runProgram } from './run-program.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The time of the commit in seconds, so that every build of it has the same. */
export function epochOfCommit(): number {
  return Number(
    process.env['SOURCE_DATE_EPOCH'] ?? runProgram('git', ['-C', ROOT, 'log', '-1', '--format=%ct']).toString(),
  );
}
