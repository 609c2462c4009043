import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { contracts } from '../../packages/contract/src/index.ts';
import { askedFor } from './asked-for.ts';
import { coverageOf, coveragePage, everyOperation } from './coverage-page.ts';

it('every required operation is served and has an API test', () => {
  expect(coverageOf(askedFor, contracts).missing).toEqual([]);
  expect(askedFor.length).toBeGreaterThan(50);
});

it('the page lists every operation that is served, once', () => {
  const { covered, missing } = coverageOf(everyOperation(), contracts);
  expect(missing).toEqual([]);
  expect(covered.map(({ id }) => id).sort()).toEqual(contracts.map(({ id }) => id).sort());
});

it('detects a missing operation, or one without a test', () => {
  const [served] = contracts;
  const untested = { ...served, id: 'nobodyTestsThis', path: '/nowhere' } as (typeof contracts)[number];
  const wanted = [
    { operation: 'GET /nothing', by: 'canary' },
    { operation: `${untested.method} /nowhere`, by: 'canary' },
  ];
  expect(coverageOf(wanted, [...contracts, untested]).missing).toEqual([
    'GET /nothing is not served',
    `${untested.method} /nowhere has no API test`,
  ]);
});

it('docs/api/coverage.md is the page the code gives', () => {
  const file = join(import.meta.dirname, '../../docs/api/coverage.md');
  expect(readFileSync(file, 'utf8'), 'run `pnpm generate`').toBe(coveragePage());
});
