import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { fingerprintFile } from './fingerprint-file.ts';
import { givenTree, removeTrees } from './given-tree.ts';

afterEach(removeTrees);

it('is the SHA-256 of the bytes, also of a file that a link leads to', async () => {
  const root = givenTree({ file1: 'hello world!', link: { link: 'file1' }, empty: '' });
  const published = '7509e5bda0c762d2bac7f90d758b5b2263fa01ccbc542ab5e3df163be08e6ca9';

  expect(await fingerprintFile(join(root, 'file1'))).toBe(published);
  expect(await fingerprintFile(join(root, 'link'))).toBe(published);
  expect(await fingerprintFile(join(root, 'empty'))).toBe(
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  );
});

it('refuses a directory and what is not there', async () => {
  const root = givenTree({});

  await expect(fingerprintFile(root)).rejects.toThrow(`${root} is a directory and not a file`);
  await expect(fingerprintFile(join(root, 'nobody'))).rejects.toThrow(join(root, 'nobody'));
});
