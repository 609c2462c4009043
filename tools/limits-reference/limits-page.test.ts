import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as api from '../../packages/contract/src/index.ts';
import { limitsPage } from './limits-page.ts';

const ROOT = join(import.meta.dirname, '../..');

it('the page of limits is generated', () => {
  expect(readFileSync(join(ROOT, 'docs/limits.md'), 'utf8'), 'run `pnpm generate`').toBe(limitsPage());
});

it('every limit that the contract exports is on the page', () => {
  const limits = Object.entries(api).flatMap(([name, value]) =>
    typeof value === 'number' && /(^|_)MAX(_|$)|_PER_/.test(name) ? [name] : [],
  );
  expect(limits.length).toBeGreaterThan(30);
  const source = readFileSync(join(import.meta.dirname, 'limits-page.ts'), 'utf8');
  expect(limits.filter((name) => !source.includes(`api.${name}`))).toEqual([]);
});
