import { afterEach, expect, it } from 'vitest';
import { excludedPaths } from './excluded-paths.ts';
import { givenTree, removeTrees, type Tree } from './given-tree.ts';

afterEach(removeTrees);

const TREE: Tree = {
  'a.txt': '',
  '.hidden.txt': '',
  '[x]/a.txt': '',
  'dist/a.js': '',
  'lib/dist/b.js': '',
  'lib/a': '',
  'lib/a.txt': '',
  'lib/circle': { link: '..' },
};

// What the public client leaves out, in its version 2.43.1.
it.each([
  ['dist', ['dist']],
  ['/dist/', ['dist']],
  ['./lib/../dist', ['dist']],
  ['*.txt', ['.hidden.txt', 'a.txt']],
  ['?.txt', ['a.txt']],
  ['*/a.txt', ['[x]/a.txt', 'lib/a.txt']],
  ['[^.]*.txt', ['a.txt']],
  [String.raw`\[x]`, ['[x]']],
  ['[x]', []],
  ['{a,b}.txt', []],
  ['lib/**', ['lib/a', 'lib/a.txt', 'lib/circle', 'lib/dist', 'lib/dist/b.js']],
  ['*/**', []],
  ['**/dist', ['dist/a.js', 'lib/dist', 'lib/dist/b.js']],
  ['**/dist*', ['dist', 'dist/a.js', 'lib/dist', 'lib/dist/b.js']],
  ['**/a.txt', ['lib/a.txt']],
  ['**/*.js', ['dist/a.js', 'lib/dist/b.js']],
  ['**.txt', ['lib/a.txt']],
  ['lib/**/b.js', ['lib/dist/b.js']],
  ['../dist', []],
  ['nobody', []],
])('%s names %j', async (pattern, expected) => {
  const root = givenTree(TREE);
  const paths = [...(await excludedPaths(root, [pattern]))].filter(isVisited);

  expect(paths.map((path) => path.slice(root.length + 1)).toSorted()).toEqual(expected);
});

it('does not depend on parent directories, and handles any name', async () => {
  const root = givenTree({ '[ab]*/x.js': '', '[ab]*/[/y.js': '', '[ab]*/deep/z.js': '', a: '' });
  const top = `${root}/[ab]*`;

  expect([...(await excludedPaths(top, ['*.js', '**/*.js']))]).toEqual([`${top}/x.js`, `${top}/deep/z.js`]);
});

/** The walk follows no link, and its paths have no duplicate slashes. */
function isVisited(path: string): boolean {
  return !/\/$|\/\/|\/circle\//.test(path);
}
