import { expect, it } from 'vitest';
import { componentKey, findingId, keysOf } from './finding-keys.service.ts';

it.each([
  ['pkg:npm/lodash@4.17.20', 'pkg:npm/lodash'],
  ['pkg:npm/%40angular/core@16.0.0', 'pkg:npm/%40angular/core'],
  ['pkg:deb/debian/Curl@7.50.3-1?arch=i386&distro=jessie', 'pkg:deb/debian/curl'],
  ['pkg:golang/github.com/a/b@v1#sub/path', 'pkg:golang/github.com/a/b'],
  ['pkg:npm/lodash', 'pkg:npm/lodash'],
  ['lodash@4.17.20', 'lodash'],
  ['@angular/core@16.0.0', '@angular/core'],
  ['@angular/core', '@angular/core'],
  ['@scope', '@scope'],
  ['openssl', 'openssl'],
])('the version of a component is not part of its key: %s', (component, key) => {
  expect(componentKey(component)).toBe(key);
});

it('a finding is the same in another version, under another name, and in another line', () => {
  const one = { id: 'GHSA-1', severity: 'high', aliases: ['CVE-1'], component: 'a@1' } as const;
  expect(findingId({ id: 'cve-1', severity: 'low', component: 'a@2' })).toBe(findingId({ ...one, aliases: ['CVE-1'] }));
  expect(findingId({ id: 'CVE-1', severity: 'high', component: 'b@1' })).not.toBe(
    findingId({ ...one, aliases: ['CVE-1'] }),
  );
  const inLine = (line: number) => findingId({ id: 'xss', severity: 'high', location: `a.js:${line}` });
  expect(inLine(1)).toBe(inLine(2));
});

it('findings have the positions of their ids, aliases, and components', () => {
  const keys = keysOf([
    { id: 'CVE-1', severity: 'high', aliases: ['GHSA-1'], component: 'a@1' },
    { id: 'CVE-1', severity: 'high', component: 'b@1' },
    { id: 'xss', severity: 'high' },
  ]);
  expect([...keys]).toEqual([
    ['cve-1', [0, 1]],
    ['ghsa-1', [0]],
    ['a', [0]],
    ['b', [1]],
    ['xss', [2]],
  ]);
  const many = Array.from({ length: 150 }, () => ({ id: 'x', severity: 'low' }) as const);
  expect(keysOf(many).get('x')).toHaveLength(100);
});
