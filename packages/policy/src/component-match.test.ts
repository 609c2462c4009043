import { expect, it } from 'vitest';
import { isComponent } from './component-match.ts';

const LODASH = 'pkg:npm/lodash@4.17.20';
const CURL = 'pkg:deb/debian/curl@7.50.3-1?arch=i386&distro=jessie';

it.each<[string, string, string, boolean]>([
  ['the same', LODASH, LODASH, true],
  ['no version, which is every version', 'pkg:npm/lodash', LODASH, true],
  ['another version', 'pkg:npm/lodash@4.17.21', LODASH, false],
  ['a version of what has none', LODASH, 'pkg:npm/lodash', false],
  ['another case', 'pkg:npm/Lodash', LODASH, true],
  ['another type', 'pkg:pypi/lodash', LODASH, false],
  ['another name', 'pkg:npm/lodash-es', LODASH, false],
  ['the beginning of the name', 'pkg:npm/lod', LODASH, false],
  ['an escaped namespace', 'pkg:npm/%40angular/core', 'pkg:npm/@angular/core@16.0.0', true],
  ['a namespace without escape', 'pkg:npm/@angular/core', 'pkg:npm/%40angular/core@16.0.0', true],
  ['another namespace', 'pkg:npm/core', 'pkg:npm/%40angular/core@16.0.0', false],
  ['an escaped version', 'pkg:deb/debian/a@1%2B2', 'pkg:deb/debian/a@1+2', true],
  ['fewer qualifiers', 'pkg:deb/debian/curl@7.50.3-1', CURL, true],
  ['one of the qualifiers', 'pkg:deb/debian/curl?distro=jessie', CURL, true],
  ['other qualifiers', 'pkg:deb/debian/curl?arch=amd64', CURL, false],
  ['more qualifiers', CURL, 'pkg:deb/debian/curl@7.50.3-1', false],
  ['a subpath', 'pkg:golang/github.com/a/b#sub', 'pkg:golang/github.com/a/b@v1', true],
  ['a name', 'lodash', 'lodash@4.17.20', true],
  ['a name with version', 'lodash@4.17.20', 'lodash@4.17.20', true],
  ['a name with another version', 'lodash@4.17.21', 'lodash@4.17.20', false],
  ['a name with a namespace', '@angular/core', '@angular/core@16', true],
  ['a name for a package URL', 'lodash', LODASH, false],
  ['a package URL for a name', 'pkg:npm/lodash', 'lodash@4.17.20', false],
  ['what is not escaped properly', 'pkg:npm/a%ZZ', 'pkg:npm/a%ZZ@1', true],
  ['nothing', '', LODASH, false],
])('a component is wanted by %s', (_, wanted, component, is) => {
  expect(isComponent(wanted, component)).toBe(is);
});
