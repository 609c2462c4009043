import { expect, test } from 'vitest';
import { componentsOf, licencesOf } from './sbom-components.ts';

test('CycloneDX', () => {
  const bom = {
    bomFormat: 'CycloneDX',
    components: [
      { name: 'a', version: '1', licenses: [{ license: { id: 'MIT' } }] },
      { name: 'b', licenses: [{ expression: 'MIT OR ISC' }] },
      { name: 'c', version: '3', licenses: 'none' },
    ],
  };
  expect(componentsOf(JSON.stringify(bom))).toEqual([
    { name: 'a', version: '1', licence: 'MIT' },
    { name: 'b', version: '', licence: 'MIT OR ISC' },
    { name: 'c', version: '3', licence: '' },
  ]);
});

test('SPDX, where NOASSERTION is no license', () => {
  const packages = [
    { name: 'a', versionInfo: '1', licenseConcluded: 'NOASSERTION', licenseDeclared: 'ISC' },
    { name: 'b', versionInfo: '2', licenseConcluded: 'MIT' },
  ];
  expect(componentsOf(JSON.stringify({ spdxVersion: 'SPDX-2.3', packages }))).toMatchObject([
    { licence: 'ISC' },
    { licence: 'MIT' },
  ]);
});

test('an archive or other JSON has none', () => {
  expect(componentsOf('\u001f\u008b…')).toBeUndefined();
  expect(componentsOf('{}')).toBeUndefined();
});

test('licenses by number of components', () => {
  const of = (licence: string) => ({ name: 'x', version: '1', licence });
  expect(licencesOf([of('ISC'), of('MIT'), of('MIT'), of('')])).toEqual([
    ['MIT', 2],
    ['', 1],
    ['ISC', 1],
  ]);
});
