import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runProgram } from '../release/run-program.ts';
import { isFull } from '../test-size.ts';
import { cleanClone } from './clean-clone.ts';

const ROOT = join(import.meta.dirname, '../..');

/** What the build of a clone printed: each image with its digest. */
function buildInClone(commit: string): string {
  const cwd = cleanClone(commit);
  try {
    return runProgram(process.execPath, ['tools/image/build-images.ts', join(cwd, 'dist/images')], { cwd }).toString();
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

/** Installs and builds twice, for minutes. */
it.runIf(isFull)('builds the same images from two clean clones', { timeout: 3_600_000 }, () => {
  const commit = runProgram('git', ['-C', ROOT, 'rev-parse', 'HEAD']).toString().trim();
  const one = buildInClone(commit);
  expect(one.match(/^waymark(-cli|-reporter)? {2}sha256:[0-9a-f]{64}$/gm)).toHaveLength(3);
  expect(buildInClone(commit)).toBe(one);
});
