import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findState } from './module-state/find-state.ts';

const ROOT = join(import.meta.dirname, '..');

/** With the reason. */
const ALLOWED: Readonly<Record<string, string>> = {
  'packages/fingerprint/src/given-server.ts: stops': 'a helper of tests, which ends what they started',
  'packages/fingerprint/src/given-tree.ts: roots': 'a helper of tests, which removes what they made',
};

it('modules of packages hold no state', () => {
  const files = globSync('packages/*/src/**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts'] });
  expect(files.length).toBeGreaterThan(150);
  const found = files.flatMap((file) => findState(file, readFileSync(join(ROOT, file), 'utf8')));
  expect(found.map(({ file, name }) => `${file}: ${name}`).sort()).toEqual(Object.keys(ALLOWED).sort());
});

const STATE = [
  'let last: string | null = null;',
  'export let count = 0;',
  'const judges = new WeakMap<object, string>();',
  'const seen = new Map<string, number>();\nexport const see = (key: string) => seen.set(key, 1);',
  'const roots: string[] = [];\nexport function add(root: string) { roots.push(root); }',
  'const counts: Record<string, number> = {};\nexport function count(key: string) { counts[key] = 1; }',
  'const WORD = /a/y;\nexport function read(text: string) { WORD.lastIndex = 3; return WORD.exec(text); }',
];

it.each(STATE)('is found: %s', (text) => {
  expect(findState('a.ts', text)).toHaveLength(1);
});

it('what is only read, or is made by a call, is no state', () => {
  const text = `
    const UNITS = new Map([['day', 1]]);
    export const unitOf = (name: string) => UNITS.get(name);
    export function collect() { const found: string[] = []; let last = ''; found.push(last); return found; }`;
  expect(findState('a.ts', text)).toEqual([]);
});
