import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readFindings } from './findings.ts';
import { readSbom } from './sbom.ts';
import { readVex } from './vex.ts';

/** See README.md beside the files. */
const file = (name: string) => ({ name, bytes: readFileSync(new URL(`given/files/${name}`, import.meta.url)) });

it.each([
  [
    'semgrep.sarif',
    'Semgrep OSS',
    ['low print docs/public/verify_package.py:142', 'low print docs/public/verify_package.py:149'],
  ],
  ['bandit.sarif', 'Bandit', []],
  [
    'eslint.sarif',
    'ESLint',
    ['medium no-undef file:///src/event-consumer.mjs:5', 'medium no-undef file:///src/event-consumer.mjs:7'],
  ],
  [
    'ruff.sarif',
    'ruff',
    [
      'high EXE001 file:///src/docs/public/verify_package.py:1',
      'high T201 file:///src/docs/public/verify_package.py:142',
      'high T201 file:///src/docs/public/verify_package.py:149',
    ],
  ],
])('the findings of a scanner are read: %s', (name, tool, found) => {
  const read = readFindings(file(name));
  expect(read.tool.name).toBe(tool);
  expect(read.normalized.findings.map(({ severity, id, location }) => `${severity} ${id} ${location}`)).toEqual(found);
});

it('an SBOM of cdxgen has its components and licenses', () => {
  expect(readSbom(file('cdxgen.cdx.json'))).toMatchObject({
    ...{ format: 'CycloneDX', specVersion: '1.6', components: { length: 6 } },
    licenses: [
      { expression: 'Apache-2.0', count: 3 },
      { expression: 'MIT', count: 2, components: ['zod@4.6.7', 're2js@2.9.1'] },
      { expression: 'CC0-1.0', count: 1 },
    ],
  });
});

it.each([
  ['CycloneDX', 'syft.cdx.json', '1.6'],
  ['SPDX', 'syft.spdx.json', '2.3'],
])('an SBOM of syft has its components and licenses: %s', (format, name, specVersion) => {
  const { components, ...rest } = readSbom(file(name));
  expect(components.map(({ purl }) => purl).sort()).toEqual([
    'pkg:github/actions/attest-build-provenance@e8998f949152b193b063cb0ec769d69d929409be',
    'pkg:npm/%40algolia/client-abtesting@5.64.0',
    'pkg:npm/%40cypress/request@4.0.1',
    'pkg:npm/zod@4.6.7',
    'pkg:pypi/annotated-types@0.8.0',
  ]);
  const licenses = [
    { expression: null, count: 4 },
    { expression: 'Apache-2.0', count: 1, components: ['@cypress/request@4.0.1'] },
  ];
  expect(rest).toMatchObject({ format, specVersion, licenses });
});

it('OpenVEX of its Go library says what it does about the image', () => {
  const { author, statements, others } = readVex(file('go-vex.openvex.json'), {
    fingerprint: 'a'.repeat(64),
    names: [],
  });
  expect({ author, others }).toEqual({ author: 'Security team', others: 0 });
  expect(statements).toMatchObject([
    { names: ['CVE-2026-1', 'GHSA-1111-2222-3333'], status: 'not_affected', components: ['pkg:npm/lodash@4.17.20'] },
    { names: ['CVE-2026-2'], status: 'under_investigation' },
    { names: ['CVE-2026-3'], status: 'fixed' },
  ]);
});
