import { chmodSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { fingerprintDirectory } from './fingerprint-directory.ts';
import { givenTree, removeTrees, type Tree } from './given-tree.ts';

afterEach(removeTrees);

const RUNS = { numRuns: 15 };

// Directories and files have names of different lengths, so that no path is both.
const directory = fc.array(fc.constantFrom('aa', 'bb', '.c', 'é'), { maxLength: 3 });
const file = fc.tuple(directory, fc.constantFrom('a', 'b', 'Z', '😀')).map(([path, name]) => [...path, name].join('/'));
const trees = fc.dictionary(file, fc.string({ maxLength: 20 }), { minKeys: 1, maxKeys: 8 });

async function fingerprintOf(tree: Tree): Promise<string> {
  return fingerprintDirectory(givenTree(tree));
}

function withoutKey(tree: Readonly<Record<string, string>>, key: string): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => path !== key));
}

it('does not depend on the order of creation, on modes or on times', async () => {
  const property = fc.asyncProperty(trees, fc.infiniteStream(fc.nat()), fc.nat(2e9), async (tree, random, time) => {
    const shuffled = Object.entries(tree)
      .map((entry) => ({ entry, rank: random.next().value ?? 0 }))
      .toSorted((one, other) => one.rank - other.rank)
      .map(({ entry }) => entry);
    const other = givenTree(Object.fromEntries(shuffled));
    for (const path of Object.keys(tree)) {
      chmodSync(join(other, path), 0o600 + (time % 0o100));
      utimesSync(join(other, path), time, time);
    }

    expect(await fingerprintDirectory(other)).toBe(await fingerprintOf(tree));
  });
  await fc.assert(property, RUNS);
});

it('changes with one byte of one file', async () => {
  const property = fc.asyncProperty(trees, fc.nat(), async (tree, pick) => {
    const path = Object.keys(tree)[pick % Object.keys(tree).length] ?? '';

    expect(await fingerprintOf({ ...tree, [path]: `${tree[path]}x` })).not.toBe(await fingerprintOf(tree));
  });
  await fc.assert(property, RUNS);
});

it.each([
  ['the name of one file', (path: string) => `${path}-renamed`],
  ['the place of one file', (path: string) => `elsewhere/${path}`],
])('changes with %s', async (_, moved) => {
  const property = fc.asyncProperty(trees, fc.nat(), async (tree, pick) => {
    const path = Object.keys(tree)[pick % Object.keys(tree).length] ?? '';
    const other = { ...withoutKey(tree, path), [moved(path)]: tree[path] ?? '' };

    expect(await fingerprintOf(other)).not.toBe(await fingerprintOf(tree));
  });
  await fc.assert(property, RUNS);
});

it('is, with a directory excluded, that of the tree without it', async () => {
  const property = fc.asyncProperty(trees, trees, async (tree, subtree) => {
    const below = Object.fromEntries(Object.entries(subtree).map(([path, text]) => [`build/${path}`, text]));
    const root = givenTree({ ...tree, ...below, 'build/empty': [] });

    expect(await fingerprintDirectory(root, { exclude: ['build'] })).toBe(await fingerprintOf(tree));
    expect(await fingerprintDirectory(root)).not.toBe(await fingerprintOf(tree));
  });
  await fc.assert(property, RUNS);
});

it('counts one more empty directory', async () => {
  const property = fc.asyncProperty(trees, directory, async (tree, path) => {
    const empty = [...path, 'empty'].join('/');

    expect(await fingerprintOf({ ...tree, [empty]: [] })).not.toBe(await fingerprintOf(tree));
  });
  await fc.assert(property, RUNS);
});
