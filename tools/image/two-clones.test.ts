import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runProgram } from '../release/run-program.ts';
import { dataDir } from '../services/endpoints.ts';
import { isFull } from '../test-size.ts';

const ROOT = join(import.meta.dirname, '../..');

/** What the build of a clone printed: each image with its digest. */
function buildInClone(commit: string): string {
  const clone = mkdtempSync(join(tmpdir(), 'clone-'));
  try {
    return buildIn(clone, commit);
  } finally {
    rmSync(clone, { recursive: true });
  }
}

function buildIn(clone: string, commit: string): string {
  runProgram('git', ['clone', '--quiet', '--no-local', ROOT, clone]);
  runProgram('git', ['-C', clone, 'checkout', '--quiet', commit]);
  runProgram('pnpm', ['install', '--frozen-lockfile'], { cwd: clone });
  // What the locks pin by digest need not be downloaded again.
  const fetched = join(dataDir, 'images');
  if (existsSync(fetched)) cpSync(fetched, join(clone, '.services/images'), { recursive: true });
  return runProgram(process.execPath, ['tools/image/build-images.ts', join(clone, 'dist/images')], {
    cwd: clone,
  }).toString();
}

/** Installs and builds twice, for minutes. */
it.runIf(isFull)('builds the same images from two clean clones', { timeout: 3_600_000 }, () => {
  const commit = runProgram('git', ['-C', ROOT, 'rev-parse', 'HEAD']).toString().trim();
  const one = buildInClone(commit);
  expect(one.match(/^waymark(-cli|-reporter)? {2}sha256:[0-9a-f]{64}$/gm)).toHaveLength(3);
  expect(buildInClone(commit)).toBe(one);
});
