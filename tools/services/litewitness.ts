import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { dataDir } from './endpoints.ts';

const SOURCE = join(import.meta.dirname, '../litewitness');
const PROGRAM = 'filippo.io/torchwood/cmd/litewitness';

/** Builds litewitness, a witness in Go that knows nothing of Waymark, in the version that go.mod pins. */
export function buildLitewitness(): string {
  const path = join(dataDir, 'built', 'litewitness');
  const { status, stderr, error } = spawnSync('go', ['build', '-o', path, PROGRAM], { cwd: SOURCE, encoding: 'utf8' });
  if (error) throw new Error(`there is no \`go\` on the PATH: ${error.message}`);
  if (status !== 0) throw new Error(`litewitness was not built:\n${stderr}`);
  return path;
}
