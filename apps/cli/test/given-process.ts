import { type ChildProcess, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { compiled } from '../../../tools/services/compiled.ts';
import type { Ran } from './given-cli.ts';

const SYSTEM_PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
/** Where `waymark` is the command line. */
export const PATH_WITH_WAYMARK = `${inject('programs').path}:${SYSTEM_PATH}`;

export interface Started {
  readonly process: ChildProcess;
  readonly ran: Promise<Ran>;
}

/** The command line as a separate process, with these variables only. */
export function startWaymark(
  line: readonly string[],
  { env, cwd, stdin }: { env: Readonly<Record<string, string>>; cwd: string; stdin?: string },
): Started {
  const child = spawn(process.execPath, [inject('programs').cli, ...line], {
    cwd,
    env: { ...compiled, HOME: cwd, GIT_CEILING_DIRECTORIES: dirname(cwd), PATH: SYSTEM_PATH, ...env },
    stdio: 'pipe',
  });
  child.stdin.end(stdin);
  const ended = new Promise<number>((resolve) => {
    child.once('close', (code) => resolve(code ?? -1));
  });
  const ran = Promise.all([ended, text(child.stdout), text(child.stderr)]).then(([code, stdout, stderr]) => ({
    code,
    stdout,
    stderr,
  }));
  return { process: child, ran };
}
