import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { chmodSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { fingerprintDirectory } from './fingerprint-directory.ts';
import { givenTree, removeTrees, type Tree } from './given-tree.ts';

afterEach(removeTrees);

const FOLDER: Tree = {
  'folder2/hello2.txt': 'hello2',
  'folder2/hello3.txt': 'hello3',
  'hello.txt': 'Hello, world! Again!',
};
const LINKS: Tree = {
  'a/b/bob.txt': 'bob\n',
  'a/b/c/d/dorris.txt': 'dorris\n',
  'a/b/point-to-dorris': { link: 'c/d/dorris.txt' },
};
const WITHOUT_FOLDER2 = '773fd3300860454a2b065c5912c03008adb11e6a6dcf7c1c64c094ceab8f430a';

const SAMPLE = 'some content. And some more.';

// The trees and their fingerprints are published in the MIT-licensed kosli-dev/cli, cmd/kosli/testdata and the tests of
// internal/digest.
describe('agrees with the public client on', () => {
  it.each([
    ['files in directories', FOLDER, [], 'c43808cb04c6e66c4c6fc1f972dd67c3b9b71c81e0a0c78730da3699922d17be'],
    ['an excluded directory', FOLDER, ['folder2'], WITHOUT_FOLDER2],
    [
      'an ignore file, which is itself part of the directory',
      { ...FOLDER, '.kosli_ignore': 'folder2\n' },
      [],
      '038897ea5334462098d65125380d58a493671fb3b8bdbbee1e75ec8bd4a65c23',
    ],
    [
      'a link to a file and one to a directory around it',
      { ...LINKS, 'a/b/c/point-to-dir': { link: '../../../a' } },
      [],
      '1c0740265b38509fb9ce7babf00d7eb57e7e08b59dad8be66897c1ebb5b36409',
    ],
    [
      'the same with another target',
      { ...LINKS, 'a/b/c/point-to-dir': { link: '../../b' } },
      [],
      '2a5fe76bc616a97b2ff6f30f46380f1230b98a58df8aec6e96c1fb0e03b41fd9',
    ],
    [
      'one file',
      { 'sample.txt': 'some content.' },
      [],
      '388ab80164bbd9d96f132b046b8d09354f68b79a3668da7b507625cd1230dddf',
    ],
    ['other content', { 'sample.txt': SAMPLE }, [], '5b0e14a923d7239b0a23750a6bbfc837f71e684b8bdc2909d5ff6d90e59449c1'],
    ['another name', { 'sample.yaml': SAMPLE }, [], 'c38fbc1a99dad628142d0b7e2e05901362623d2b81e316d2cf650b08e93e0cef'],
    [
      'a file beside a directory',
      { 'sample.yaml': SAMPLE, 'nested-dir/file1': 'content1', 'nested-dir/file2': 'content2' },
      [],
      '5d3c17dae9e208bbb92ee04ff8342abf77cb0959764def4af3ccfe9a2109d4a7',
    ],
    [
      'a directory of another name',
      { 'sample.yaml': SAMPLE, 'nested-dir2/file1': 'content1', 'nested-dir2/file2': 'content2' },
      [],
      'db40d79b3a15b17ee9fcc2f49aa73736e0073de6b5a35c459268bb9a31e55139',
    ],
    [
      'a file that another client had first',
      { 'file.extra': 'this is known extra content' },
      [],
      'c71f5baef8cce289c9b7c971cf219e21b787a025af68ad6539b82634fe62819e',
    ],
    ['an empty directory', {}, [], 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ])('%s', async (_, tree: Tree, exclude, published) => {
    expect(await fingerprintDirectory(givenTree(tree), { exclude })).toBe(published);
  });
});

describe('ignore files', () => {
  it('may have comments, blank lines, Windows line ends and their own name', async () => {
    const ignore = '# build output\r\n\r\n  folder2 # twice\r\n.waymark_ignore\r\n';

    expect(await fingerprintDirectory(givenTree({ ...FOLDER, '.waymark_ignore': ignore }))).toBe(WITHOUT_FOLDER2);
  });

  it('add to each other and to the patterns given', async () => {
    const root = givenTree({
      ...FOLDER,
      '.waymark_ignore': '.*_ignore',
      '.kosli_ignore': 'folder2/hello2.txt',
      'third.txt': '',
    });
    const exclude = ['folder2/hello3.txt', 'third.txt'];

    expect(await fingerprintDirectory(root, { exclude })).toBe(
      await fingerprintDirectory(givenTree({ folder2: [], 'hello.txt': 'Hello, world! Again!' })),
    );
  });

  it('count only at the top level', async () => {
    const [one, other] = [givenTree({ 'a/.waymark_ignore': 'b', 'a/b': '1' }), givenTree({ 'a/.waymark_ignore': 'b' })];

    expect(await fingerprintDirectory(one)).not.toBe(await fingerprintDirectory(other));
  });
});

it('is the digest of the digests, in the byte order of names', async () => {
  const names = ['B', 'a', 'b.txt', '～', '😀'];
  const root = givenTree(Object.fromEntries(names.toReversed().map((name) => [name, `in ${name}`])));
  const digests = names.map((name) => hash('sha256', name) + hash('sha256', `in ${name}`)).join('');

  expect(await fingerprintDirectory(root)).toBe(hash('sha256', digests));
});

it('has no digests for an empty directory', async () => {
  expect(await fingerprintDirectory(givenTree({}))).toBe(hash('sha256', ''));
});

it('counts an empty directory by its name', async () => {
  expect(await fingerprintDirectory(givenTree({ logs: [] }))).toBe(hash('sha256', hash('sha256', 'logs')));
});

it('distinguishes names that are not UTF-8', async () => {
  const [one, other] = [givenTree({}), givenTree({})];
  const name = (byte: number) => Buffer.concat([Buffer.from('/'), Buffer.from([byte])]);
  writeFileSync(Buffer.concat([Buffer.from(one), name(0xe9)]), '');
  writeFileSync(Buffer.concat([Buffer.from(other), name(0xe8)]), '');

  expect(await fingerprintDirectory(one)).toBe(
    hash('sha256', hash('sha256', Buffer.from([0xe9])) + hash('sha256', '')),
  );
  expect(await fingerprintDirectory(other)).not.toBe(await fingerprintDirectory(one));
});

it('follows a link that is given as the directory', async () => {
  const root = givenTree({ 'real/a': '1' });
  symlinkSync('real', join(root, 'link'));

  expect(await fingerprintDirectory(join(root, 'link'))).toBe(await fingerprintDirectory(join(root, 'real')));
});

it('is the same after the modes and times have changed', async () => {
  const root = givenTree({ 'a/b': '1', c: '2' });
  const before = await fingerprintDirectory(root);
  chmodSync(join(root, 'c'), 0o700);
  chmodSync(join(root, 'a'), 0o750);
  utimesSync(join(root, 'c'), 1, 2);

  expect(await fingerprintDirectory(root)).toBe(before);
});

describe('refuses', () => {
  it('a broken link, unless it is excluded', async () => {
    const root = givenTree({ 'a/b': '1', 'a/gone': { link: '../c' } });

    await expect(fingerprintDirectory(root)).rejects.toThrow(
      `The symbolic link ${root}/a/gone leads nowhere: there is no ../c`,
    );
    expect(await fingerprintDirectory(root, { exclude: ['a/gone'] })).toBe(
      await fingerprintDirectory(givenTree({ 'a/b': '1' })),
    );
  });

  it('links that lead to each other', async () => {
    const root = givenTree({ a: { link: 'b' }, b: { link: 'a' } });

    await expect(fingerprintDirectory(root)).rejects.toThrow(`The symbolic link ${root}/a leads nowhere`);
  });

  it('a pipe, which it could read forever', async () => {
    const root = givenTree({});
    execFileSync('mkfifo', [join(root, 'pipe')]);

    await expect(fingerprintDirectory(root)).rejects.toThrow(`${root}/pipe is neither a file nor a directory`);
  });

  it('a file and a missing path', async () => {
    const root = givenTree({ file: '' });

    await expect(fingerprintDirectory(join(root, 'file'))).rejects.toThrow(`${root}/file is not a directory`);
    await expect(fingerprintDirectory(join(root, 'nobody'))).rejects.toThrow(`${root}/nobody`);
  });

  it('a malformed pattern', async () => {
    await expect(fingerprintDirectory(givenTree({}), { exclude: ['a/[b'] })).rejects.toThrow(
      'The exclude pattern "a/[b" has a "[" or "\\" that nothing closes',
    );
  });
});
