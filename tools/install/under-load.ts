import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { LoadLine } from './load.ts';

export interface Loaded {
  readonly url: string;
  readonly org: string;
  readonly token: string;
  /** Begins the names of the flows that are written. */
  readonly name: string;
}

/** What the users have seen so far. */
export interface LoadReport {
  /** The flows whose creation was acknowledged. */
  readonly written: string[];
  reads: number;
  readonly failures: string[];
}

/** Starts a program with a pipe for what it prints, in any network. */
export type Start = (program: string, args: readonly string[]) => ChildProcess;

/** Does something while the API is used, and returns what the users saw. */
export async function underLoad(
  start: Start,
  { url, org, token, name }: Loaded,
  work: (soFar: LoadReport) => void | Promise<void>,
): Promise<LoadReport> {
  const script = [process.execPath, join(import.meta.dirname, 'load.ts'), url, org, name];
  const load = start('env', [`WAYMARK_TOKEN=${token}`, ...script]);
  if (!load.stdout) throw new Error('the load has no pipe for its lines');
  const report: LoadReport = { written: [], reads: 0, failures: [] };
  const lines = createInterface({ input: load.stdout });
  const ended = new Promise<void>((resolve) => lines.once('close', resolve));
  lines.on('line', (text) => {
    const line = JSON.parse(text) as LoadLine;
    if ('written' in line) report.written.push(line.written);
    else if ('failure' in line) report.failures.push(line.failure);
    else report.reads++;
  });
  try {
    await work(report);
  } finally {
    load.kill('SIGTERM');
  }
  await ended;
  return report;
}
