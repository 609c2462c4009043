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

it.each([
  ['this is non empty', '1256d6510a6606ad61a4f6104243a291b18383b456d50205eba893b51e1807bc'],
  ['this is non empty.', 'a50afcf37a327e0715b3148c2625bc28b3e4dcdf32b6cf78c8b8fa3ac1ebfe47'],
])('agrees with the public client on "%s"', async (content, published) => {
  expect(await fingerprintFile(join(givenTree({ file: content }), 'file'))).toBe(published);
});

it('refuses a directory and a missing path', async () => {
  const root = givenTree({});

  await expect(fingerprintFile(root)).rejects.toThrow(`${root} is a directory and not a file`);
  await expect(fingerprintFile(join(root, 'nobody'))).rejects.toThrow(join(root, 'nobody'));
});
