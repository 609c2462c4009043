import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { copyTree } from './copy-tree.ts';

function givenFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'waymark-copy-test-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function write(root: string, file: string, text = file): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

it('the copy holds what git tracks or would track, and nothing that it ignores', () => {
  const tree = givenFolder();
  execFileSync('git', ['init', '--quiet'], { cwd: tree });
  for (const file of ['a.ts', 'deleted.ts', 'packages/one/src/b.ts']) write(tree, file);
  write(tree, '.gitignore', 'node_modules/\n*.log\n');
  execFileSync('git', ['add', '.'], { cwd: tree });
  write(tree, 'a.ts', 'changed');
  write(tree, 'untracked.ts');
  write(tree, 'ignored.log');
  rmSync(join(tree, 'deleted.ts'));

  const copy = givenFolder();
  copyTree(tree, copy);

  expect(readdirSync(copy).sort()).toEqual(['.gitignore', 'a.ts', 'packages', 'untracked.ts']);
  expect(readFileSync(join(copy, 'a.ts'), 'utf8')).toBe('changed');
});

it('in the copy a package of the workspace leads into the copy, and one from outside to where it is installed', () => {
  const tree = givenFolder();
  execFileSync('git', ['init', '--quiet'], { cwd: tree });
  write(tree, '.gitignore', 'node_modules/\n');
  write(tree, 'packages/one/src/b.ts');
  write(tree, 'node_modules/.pnpm/zod/index.js');
  mkdirSync(join(tree, 'packages/two/node_modules/@waymark'), { recursive: true });
  symlinkSync('../../../one', join(tree, 'packages/two/node_modules/@waymark/one'));
  symlinkSync('../../../node_modules/.pnpm/zod', join(tree, 'packages/two/node_modules/zod'));

  const copy = givenFolder();
  copyTree(tree, copy);

  const modules = join(copy, 'packages/two/node_modules');
  expect(realpathSync(join(modules, '@waymark/one'))).toBe(join(copy, 'packages/one'));
  expect(realpathSync(join(modules, 'zod'))).toBe(join(tree, 'node_modules/.pnpm/zod'));
});

it('a check that is interrupted leaves nothing behind', async () => {
  const temporary = givenFolder();
  const check = spawn(process.execPath, [join(import.meta.dirname, '../check.ts')], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: 'ignore',
  });
  const ended = once(check, 'exit');
  await vi.waitFor(() => expect(plantedIn(temporary)).toBe(true), { timeout: 300_000 });

  check.kill('SIGTERM');

  expect((await ended)[0]).toBe(1);
  expect(readdirSync(temporary)).toEqual([]);
});

function plantedIn(temporary: string): boolean {
  return readdirSync(temporary).some((copy) => existsSync(join(temporary, copy, 'tools/canary-type.ts')));
}
