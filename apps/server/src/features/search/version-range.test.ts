import { describe, expect, it } from 'vitest';
import { orderOf, readRange } from './version-range.ts';

it.each([
  ['pkg:npm/lodash', 'semver'],
  ['pkg:NPM/lodash', 'semver'],
  ['pkg:cargo/serde', 'semver'],
  ['pkg:golang/github.com/a/b', 'semver'],
  ['pkg:pypi/django', 'pep440'],
  ['pkg:deb/debian/openssl', 'exact'],
  ['pkg:maven/org.apache/log4j-core', 'exact'],
  ['pkg:constructor/x', 'exact'],
  ['lodash', 'exact'],
] as const)('the versions of %s have the order %s', (purl, order) => {
  expect(orderOf(purl)).toBe(order);
});

describe('a range of semantic versioning', () => {
  it.each<[string, string, boolean | null]>([
    ['<4.17.21', '4.17.20', true],
    ['<4.17.21', '4.17.21', false],
    ['<4.17.21', '4.17.21-rc.1', true],
    ['<4.17.21', '4.17.20-beta', true],
    ['>=1.0.0 <2.0.0 || 3.x', '3.4.5', true],
    ['>=1.0.0 <2.0.0 || 3.x', '2.0.0', false],
    ['^1.2', '1.9.0', true],
    ['1.2.3', '1.2.3', true],
    ['1.2.3', '1.2.4', false],
    ['<v1.9.0', 'v1.8.7+incompatible', true],
    ['<1.23.0', 'v1.22', true],
    ['<1.23.0', '1.22', true],
    ['<2.0.0', 'v0.0.0-20240101000000-abcdefabcdef', true],
    ['<2.0.0', 'main', null],
    ['<2.0.0', '', null],
    ['<2.0.0', '1.2.3.4', null],
    ['<2.0.0', '1'.repeat(201), null],
    ['*', 'main', true],
    [' ', 'main', true],
  ])('%s and version %s: %s', (range, version, isIn) => {
    expect(readRange('semver', range)?.has(version)).toBe(isIn);
  });

  it.each(['<', 'latest', '>=a', 'a'.repeat(200)])('is not %s', (range) => {
    expect(readRange('semver', range)).toBeUndefined();
  });
});

describe('a range of PEP 440', () => {
  it.each<[string, string, boolean | null]>([
    ['<4.2', '4.1.9', true],
    ['<4.2', '4.2', false],
    ['>=3,<4', '3.9.dev1', true],
    ['>=3,<4', '4.0', false],
    ['~=3.2', '3.9', true],
    ['==1.0', '1.0.0', true],
    ['1.0', '1.0.0', true],
    ['1.0', '1.0.1', false],
    ['!=1.0', '1.1', true],
    ['<4', 'unknown', null],
    ['<4', '', null],
    ['', 'unknown', true],
  ])('%s and version %s: %s', (range, version, isIn) => {
    expect(readRange('pep440', range)?.has(version)).toBe(isIn);
  });

  it.each(['<', '^1.0', 'latest', '<1 || >2'])('is not %s', (range) => {
    expect(readRange('pep440', range)).toBeUndefined();
  });
});

describe('without a known order', () => {
  it.each<[string, string, boolean | null]>([
    ['3.0.2-0ubuntu1.10', '3.0.2-0ubuntu1.10', true],
    ['= 1.2-r3', '1.2-r3', true],
    ['==1.2', '1.2', true],
    ['1.2', '1.2.0', false],
    ['<3.0.2', '3.0.1', null],
    ['1.x || 2.x', '1.1', null],
    ['1.*', '1.1', null],
    ['', '1.1', true],
  ])('%s and version %s: %s', (range, version, isIn) => {
    expect(readRange('exact', range)?.has(version)).toBe(isIn);
  });
});
