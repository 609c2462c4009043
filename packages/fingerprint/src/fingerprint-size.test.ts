import { execFile } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { isFull } from '../../../tools/test-size.ts';
import { givenTree, removeTrees } from './given-tree.ts';

afterEach(removeTrees, 60_000);

const MiB = 1024 ** 2;
const FILES = isFull ? 20_000 : 5_000;
const ZEROS = {
  256: 'a6d72ac7690f53be6ae46ba88506bd97302a093f7108472bd9efc3cefda06484',
  2048: 'a7c744c13cc101ed66c29f672f92455547889cc586ce6d44fe76ae824958ea51',
};

/**
 * Fingerprints in a process of its own with little memory, so that only the fingerprint is measured. An operation is
 * one request to the file system, such as listing a directory: their number is the same on every machine.
 */
async function measured(name: 'fingerprintFile' | 'fingerprintDirectory', path: string, exclude: string[] = []) {
  const script = `
    import { createHook } from 'node:async_hooks';
    import { ${name} as fingerprint } from ${JSON.stringify(new URL('index.ts', import.meta.url).href)};
    await fingerprint(process.argv[2]);
    const before = process.resourceUsage().maxRSS;
    let operations = 0;
    createHook({ init: (id, type) => void (operations += type.startsWith('FSREQ') ? 1 : 0) }).enable();
    const digest = await fingerprint(process.argv[1], { exclude: JSON.parse(process.argv[3]) });
    const growth = (process.resourceUsage().maxRSS - before) * 1024;
    process.stdout.write(JSON.stringify({ digest, growth, operations }));`;
  const small = givenTree({ file: 'warm', 'directory/file': 'warm' });
  const warm = join(small, name === 'fingerprintFile' ? 'file' : 'directory');
  const flags = ['--max-old-space-size=64', '--input-type=module', '--eval', script, '--'];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, path, warm, JSON.stringify(exclude)]);
  return JSON.parse(stdout) as { digest: string; growth: number; operations: number };
}

it('needs no more memory for a long file than for a short one', { timeout: 600_000 }, async () => {
  const size = isFull ? 2048 : 256;
  const path = join(givenTree({ long: '' }), 'long');
  // A sparse file: reading its holes gives zeros.
  truncateSync(path, size * MiB);
  const { digest, growth } = await measured('fingerprintFile', path);

  expect(digest).toBe(ZEROS[size]);
  expect(growth).toBeLessThan(100 * MiB);
});

it('needs few file operations and little memory for a directory with many files', { timeout: 600_000 }, async () => {
  const root = givenTree({});
  for (let number = 0; number < FILES; number += 1) {
    const directory = join(root, `d${number % 100}`, number % 200 < 100 ? 'kept' : 'dist');
    if (number < 200) mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `${number}.txt`), `file ${number}`);
  }
  const whole = await measured('fingerprintDirectory', root);
  const some = await measured('fingerprintDirectory', root, ['**/dist', '**/*1.txt']);

  expect(whole.digest).toMatch(/^[0-9a-f]{64}$/);
  expect(some.digest).not.toBe(whole.digest);
  expect(Math.max(whole.growth, some.growth)).toBeLessThan(100 * MiB);
  // Opening, reading to its end, and closing each file, and a listing of each directory.
  expect(whole.operations).toBeLessThan(5 * FILES);
  // Half of the files are left out. Checking every file for children made more operations than the exclusion saves.
  expect(some.operations).toBeLessThan(whole.operations);
});
