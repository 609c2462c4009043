import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sharedTypeNames } from './words/exported-types.ts';
import { findRetired } from './words/find-retired.ts';

const ROOT = join(import.meta.dirname, '..');

it('names and comments use the terms of the glossary', () => {
  const files = globSync(['{apps,packages}/*/{src,test}/**/*.{ts,tsx}', 'tools/**/*.ts'], {
    cwd: ROOT,
    exclude: ['**/node_modules/**', 'tools/words/**', 'tools/words.test.ts'],
  });
  expect(files.length).toBeGreaterThan(1_500);
  const findings = files.flatMap((file) => findRetired(file, readFileSync(join(ROOT, file), 'utf8')));
  expect(findings.map(({ file, line, found, use }) => `${file}:${line}: ${found}: use ${use}`)).toEqual([]);
});

it('a retired word is found in every kind of name, and a phrase in comments', () => {
  const text = '/** Has a second\n * look. */\nexport const standingOf = (a: Telling) => a.RECHECK_MS;\n';
  expect(findRetired('apps/server/src/flow-standing.ts', text).map(({ line, found }) => [line, found])).toEqual([
    [1, 'flow-standing.ts'],
    [3, 'standingOf'],
    [3, 'Telling'],
    [3, 'RECHECK_MS'],
    [1, 'second look'],
  ]);
});

it('a word with another meaning is let be', () => {
  expect(findRetired('a.ts', 'recheckAccess(); upstanding();')).toEqual([]);
});

it('no two exported types of the server have the same name', () => {
  const files = globSync('apps/server/src/**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts'] });
  expect(files.length).toBeGreaterThan(500);
  expect(sharedTypeNames(files.map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') })))).toEqual([]);
});

it('a name is shared when two files export it, whatever kind of type it is', () => {
  const files = [
    { file: 'a.ts', text: 'export interface Place {} export type Local = 1;' },
    { file: 'b.ts', text: 'export type Place = 1; type Local = 2; export const Other = 1;' },
  ];
  expect(sharedTypeNames(files)).toEqual(['Place: a.ts, b.ts']);
});
