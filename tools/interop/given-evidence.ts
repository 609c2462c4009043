import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDir } from '../services/endpoints.ts';
import { givenFile } from './client.ts';

const SARIF_SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** Results of one passed and one skipped test, and of a failed one if it is to fail. Returns the directory. */
export function givenTestResults(name: string, failures: 0 | 1): string {
  const failed =
    failures === 0 ? '' : '<testcase name="pays" classname="shop" time="0.5"><failure message="no"/></testcase>';
  const counts = `tests="${2 + failures}" failures="${failures}" errors="0" skipped="1"`;
  const directory = join(dataDir, 'interop', name);
  mkdirSync(directory, { recursive: true });
  writeFileSync(
    join(directory, 'junit.xml'),
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuites><testsuite name="shop" ${counts} time="1.5" timestamp="2026-01-02T03:04:05">
<testcase name="sells" classname="shop" time="1"/>
<testcase name="ships" classname="shop" time="0.5"><skipped/></testcase>
${failed}</testsuite></testsuites>
`,
  );
  return directory;
}

/** A scan in SARIF, with one finding. */
export function givenScan(name: string): string {
  const rules = [
    { id: 'js/sqli', shortDescription: { text: 'SQL injection' }, defaultConfiguration: { level: 'error' } },
  ];
  const results = [
    {
      ruleId: 'js/sqli',
      level: 'error',
      message: { text: 'Input reaches a query' },
      locations: [
        { physicalLocation: { artifactLocation: { uri: 'src/pay.js' }, region: { startLine: 7, endLine: 7 } } },
      ],
      properties: { priorityScore: 800 },
    },
  ];
  const driver = { name: 'SnykCode', version: '1.0.0', rules };
  return givenJson(name, { $schema: SARIF_SCHEMA, version: '2.1.0', runs: [{ tool: { driver }, results }] });
}

export function givenJson(name: string, value: unknown): string {
  return givenFile(name, JSON.stringify(value));
}
