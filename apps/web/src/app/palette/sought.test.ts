import { describe, expect, it } from 'vitest';
import { beginsWords, holdsWords, soughtBy } from './sought.ts';

describe('what was typed', () => {
  it.each([
    ['', 'nothing'],
    ['   ', 'nothing'],
    ['production', 'name'],
    ['3ed6', 'name'],
    ['3ed64', 'digits'],
    ['sha256:8F05D73', 'digits'],
    ['https://git.example.org/acme/shop/pull/812', 'change'],
    ['SHOP-881', 'change'],
    ['#812', 'change'],
    ['shop-881', 'name'],
  ])('%j is %s', (typed, kind) => {
    expect(soughtBy(typed).kind).toBe(kind);
  });

  it('has digits in lower case, without their prefix', () => {
    expect(soughtBy(' sha256:8F05D73 ')).toEqual({ kind: 'digits', text: 'sha256:8F05D73', sha: '8f05d73' });
  });
});

describe('words', () => {
  it('are found in any order and case', () => {
    expect(holdsWords('prod EU', 'eu-production')).toBe(true);
    expect(holdsWords('prod us', 'eu-production')).toBe(false);
  });

  it.each([
    ['policy', 'Policies', true],
    ['policies', 'Create policy', true],
    ['ci', 'Policies', false],
    ['serv acc', 'Settings: service accounts', true],
    ['accounts service', 'Settings: service accounts', true],
    ['where is it', 'Where is it?', true],
    ['vice', 'Settings: service accounts', false],
    ['', 'Home', true],
  ])('%j finds %j: %s', (typed, label, isFound) => {
    expect(beginsWords(typed, label)).toBe(isFound);
  });
});
