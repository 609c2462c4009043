import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { dataDir } from './endpoints.ts';

const SOURCE = join(import.meta.dirname, '../tlog-reader');

/** Builds a reader of logs from the libraries of others, which Go remembers, and returns its path. */
export function buildTlogReader(): string {
  const path = join(dataDir, 'built', 'tlog-reader');
  const { status, stderr, error } = spawnSync('go', ['build', '-o', path, '.'], { cwd: SOURCE, encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(`tlog-reader was not built:\n${stderr}`);
  return path;
}
