import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileGlob, compileGlobs } from './glob.ts';

const WORKFLOW = 'https://github.com/acme/web/.github/workflows/release.yml@refs/tags/v1.2.3';

it.each([
  [WORKFLOW, WORKFLOW],
  ['**', WORKFLOW],
  ['**', ''],
  ['*', ''],
  ['*', 'main'],
  ['https://github.com/acme/**', WORKFLOW],
  ['https://github.com/acme/*/.github/workflows/release.yml@refs/tags/*', WORKFLOW],
  ['https://github.com/acme/*/.github/workflows/*@refs/tags/*', WORKFLOW],
  ['https://github.com/acme/web/.github/workflows/release.yml@refs/**', WORKFLOW],
  ['https://github.com/acme/web/.github/workflows/release.yml@refs/tags/v*', WORKFLOW],
  ['https://github.com/acme/web/.github/workflows/release.yml@refs/tags/v1.*.3', WORKFLOW],
  ['**/release.yml@**', WORKFLOW],
  ['**/acme/**@refs/tags/**', WORKFLOW],
  ['*@example.com', 'ada@example.com'],
  ['refs/heads/**', 'refs/heads/feature/login'],
  ['refs/tags/v*', 'refs/tags/v'],
  ['a**', 'a'],
  ['**a', 'a'],
  ['a*b', 'ab'],
  ['a*b*c', 'axbxbxc'],
  ['a**b', 'a/x/b@y/b'],
  ['[a]+.?', '[a]+.?'],
  ['zu*🚀', 'zum🚀'],
])('%j matches %j', (pattern, text) => {
  expect(compileGlob(pattern)(text)).toBe(true);
});

it.each([
  ['https://github.com/acme/web', WORKFLOW],
  ['github.com/acme/**', WORKFLOW],
  ['https://github.com/acme/*', WORKFLOW],
  ['https://github.com/acme/*', 'https://github.com/acme-evil'],
  ['https://github.com/acme/*', 'https://github.com/acme/web/evil'],
  ['https://github.com/acme/*@refs/tags/*', WORKFLOW],
  ['https://github.com/acme/**@refs/heads/main', WORKFLOW],
  // A branch may be called anything, and must not look like a tag.
  [
    'https://github.com/acme/web/.github/workflows/*@refs/tags/*',
    'https://github.com/acme/web/.github/workflows/evil.yml@refs/heads/x@refs/tags/v1',
  ],
  ['refs/heads/*', 'refs/heads/feature/login'],
  ['refs/tags/v*', 'refs/tags/V1'],
  ['*@example.com', 'ada@evil@example.com'],
  ['*@example.com', 'ada@example.com.evil.org'],
  ['a.c', 'abc'],
  ['a*b', 'a/b'],
  ['a*b', 'a@b'],
  ['a*b', 'ac'],
  ['a**b', 'a/x/c'],
  ['', 'a'],
])('%j does not match %j', (pattern, text) => {
  expect(compileGlob(pattern)(text)).toBe(false);
});

it('matches one of several', () => {
  const matches = compileGlobs(['refs/heads/main', 'refs/tags/*']);
  expect(['refs/heads/main', 'refs/tags/v1', 'refs/heads/x'].map(matches)).toEqual([true, true, false]);
});

const word = fc.string({ unit: fc.constantFrom('a', 'b', '/', '@', '.'), maxLength: 8 });
const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '/', '@', '.', '*'), maxLength: 8 });

it('agrees with the same pattern as a regular expression', () => {
  fc.assert(
    fc.property(pattern, word, (glob, text) => {
      fc.pre(!glob.includes('***'));
      const regex = glob.replace(/\*\*|[*.]/g, (token) => ({ '**': '.*', '*': '[^/@]*' })[token] ?? '\\.');
      expect(compileGlob(glob)(text)).toBe(new RegExp(`^${regex}$`).test(text));
    }),
    { numRuns: 2000 },
  );
});

it('takes no more than a moment for the worst pattern', () => {
  const matches = compileGlob(`${'a**'.repeat(160)}b`);
  const start = performance.now();
  expect(matches('a'.repeat(1000))).toBe(false);
  expect(performance.now() - start).toBeLessThan(1000);
});
