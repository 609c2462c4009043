import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { LoadReport } from './load.ts';

export interface Loaded {
  readonly url: string;
  readonly org: string;
  readonly token: string;
  /** Begins the names of the flows that are written. */
  readonly name: string;
}

/** Starts a program with a pipe for what it prints, in any network. */
export type Start = (program: string, args: readonly string[]) => ChildProcess;

/** Does something while the API is used, and returns what the users saw. */
export async function underLoad(
  start: Start,
  { url, org, token, name }: Loaded,
  work: () => void | Promise<void>,
): Promise<LoadReport> {
  const script = [process.execPath, join(import.meta.dirname, 'load.ts'), url, org, name];
  const load = start('env', [`WAYMARK_TOKEN=${token}`, ...script]);
  if (!load.stdout) throw new Error('the load has no pipe for its report');
  const report = text(load.stdout);
  try {
    await work();
  } finally {
    load.kill('SIGTERM');
  }
  return JSON.parse(await report) as LoadReport;
}
