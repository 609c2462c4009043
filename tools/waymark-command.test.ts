import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);

it('pnpm waymark prints what the command prints, and nothing else', { timeout: 600_000 }, async () => {
  const { stdout, stderr } = await run('pnpm', ['waymark', '--version'], { cwd: join(import.meta.dirname, '../docs') });
  expect(stdout).toMatch(/^\d+\.\d+\.\d+(-rc\.\d+)?\n$/);
  expect(stderr).toBe('');
});
