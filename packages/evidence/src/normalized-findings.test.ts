import { describe, expect, it } from 'vitest';
import type { ScannedFinding } from './finding.ts';
import { readFindings } from './findings.ts';
import { normalizeFindings } from './normalized-findings.ts';

function read(document: unknown) {
  return readFindings({ name: 'scan.json', bytes: Buffer.from(JSON.stringify(document)) }).normalized.findings;
}

const PURL = 'pkg:npm/lodash@4.17.20';

describe('a finding of each tool in one form', () => {
  it('Trivy', () => {
    const vulnerability = {
      VulnerabilityID: 'CVE-1',
      VendorIDs: ['GHSA-1'],
      PkgName: 'lodash',
      InstalledVersion: '4.17.20',
      PkgIdentifier: { PURL },
      FixedVersion: '4.17.21',
      Severity: 'HIGH',
      Title: 'Injection',
      CVSS: { ghsa: { V3Score: 7.2 }, nvd: { V3Score: 7.5 } },
    };
    const Results = [
      { Target: 'package-lock.json', Vulnerabilities: [vulnerability] },
      { Target: 'Dockerfile', Misconfigurations: [{ ID: 'DS002', Severity: 'LOW' }] },
    ];
    expect(read({ SchemaVersion: 2, ArtifactName: 'a', Results })).toEqual([
      {
        ...{ id: 'CVE-1', severity: 'high', aliases: ['GHSA-1'], score: 7.5 },
        ...{ component: PURL, fixed: '4.17.21', title: 'Injection' },
      },
      { id: 'DS002', severity: 'low', location: 'Dockerfile' },
    ]);
  });

  it('Grype', () => {
    const match = {
      vulnerability: {
        ...{ id: 'GHSA-1', severity: 'Critical', description: 'Injection\nand more' },
        ...{ cvss: [{ metrics: { baseScore: 9.1 } }], fix: { versions: ['4.17.21'], state: 'fixed' } },
      },
      relatedVulnerabilities: [{ id: 'CVE-1' }],
      artifact: { name: 'lodash', version: '4.17.20', purl: PURL },
    };
    expect(read({ matches: [match], source: {}, descriptor: { name: 'grype' } })).toEqual([
      {
        ...{ id: 'GHSA-1', severity: 'critical', aliases: ['CVE-1'], score: 9.1 },
        ...{ component: PURL, fixed: '4.17.21', title: 'Injection' },
      },
    ]);
  });

  it('Snyk', () => {
    const vulnerability = {
      ...{ id: 'SNYK-JS-LODASH-1', severity: 'medium', title: 'Injection', packageName: 'lodash', version: '4.17.20' },
      ...{ identifiers: { CVE: ['CVE-1'], CWE: ['CWE-1'] }, cvssScore: 5.3, fixedIn: ['4.17.21'] },
    };
    expect(read({ ok: false, vulnerabilities: [vulnerability, vulnerability] })).toEqual([
      {
        ...{ id: 'SNYK-JS-LODASH-1', severity: 'medium', aliases: ['CVE-1'], score: 5.3 },
        ...{ component: 'lodash@4.17.20', fixed: '4.17.21', title: 'Injection' },
      },
    ]);
  });

  it('OSV-Scanner', () => {
    const affected = [
      {
        package: { name: 'lodash', purl: 'pkg:npm/lodash' },
        ranges: [{ events: [{ introduced: '0' }, { fixed: '4.17.21' }] }],
      },
    ];
    const packages = [
      {
        package: { name: 'lodash', version: '4.17.20', ecosystem: 'npm' },
        vulnerabilities: [{ id: 'GHSA-1', aliases: ['CVE-1'], summary: 'Injection', affected }],
        groups: [{ ids: ['GHSA-1'], max_severity: '7.2' }],
      },
    ];
    expect(read({ results: [{ packages }] })).toEqual([
      {
        ...{ id: 'GHSA-1', severity: 'high', aliases: ['CVE-1'], score: 7.2 },
        ...{ component: PURL, fixed: '4.17.21', title: 'Injection' },
      },
    ]);
  });

  it('OSV-Scanner without a score, as the database rates it', () => {
    const packages = [
      {
        package: { name: 'net', version: '1' },
        vulnerabilities: [{ id: 'GO-1' }, { id: 'GHSA-2', database_specific: { severity: 'MODERATE' } }],
      },
    ];
    expect(read({ results: [{ packages }] }).map(({ id, severity }) => [id, severity])).toEqual([
      ['GHSA-2', 'medium'],
      ['GO-1', 'unknown'],
    ]);
  });

  it('SARIF, by its score, else by its level', () => {
    const result = (ruleId: string, level: string | undefined, score?: string) => ({
      ...{ ruleId, message: { text: 'bad' }, ...(level && { level }) },
      ...(score && { properties: { 'security-severity': score } }),
      locations: [{ physicalLocation: { artifactLocation: { uri: 'a.js' }, region: { startLine: 7 } } }],
    });
    const results = [
      result('scored', 'note', '9.8'),
      result('error', 'error'),
      result('plain', undefined),
      result('note', 'note'),
    ];
    const found = read({ version: '2.1.0', runs: [{ tool: { driver: { name: 'x' } }, results }] });
    expect(found[0]).toEqual({ id: 'scored', severity: 'critical', score: 9.8, location: 'a.js:7', title: 'bad' });
    expect(found.map(({ id, severity }) => [id, severity])).toEqual([
      ['scored', 'critical'],
      ['error', 'high'],
      ['plain', 'medium'],
      ['note', 'low'],
    ]);
  });

  it('CycloneDX, one for each component that is affected', () => {
    const document = {
      ...{ bomFormat: 'CycloneDX', specVersion: '1.6' },
      components: [
        { type: 'library', name: 'a', 'bom-ref': 'a', components: [{ type: 'library', 'bom-ref': 'b', purl: PURL }] },
        { type: 'library', name: 'c', version: '1', 'bom-ref': 'c' },
      ],
      vulnerabilities: [
        {
          ...{ id: 'CVE-1', description: 'Injection', references: [{ id: 'GHSA-1' }] },
          ratings: [{ severity: 'medium', score: 5 }, { severity: 'high', score: 7.1 }, { method: 'other' }],
          affects: [{ ref: 'b' }, { ref: 'c' }],
        },
        { id: 'CVE-2' },
      ],
    };
    expect(read(document)).toEqual([
      { id: 'CVE-1', severity: 'high', aliases: ['GHSA-1'], score: 7.1, component: 'c@1', title: 'Injection' },
      { id: 'CVE-1', severity: 'high', aliases: ['GHSA-1'], score: 7.1, component: PURL, title: 'Injection' },
      { id: 'CVE-2', severity: 'unknown' },
    ]);
  });

  it('Gitleaks, whose leaks are all high', () => {
    expect(read([{ RuleID: 'aws-key', File: 'a.env', StartLine: 3, Secret: 'hidden' }])).toEqual([
      { id: 'aws-key', severity: 'high', location: 'a.env:3' },
    ]);
  });
});

describe('normalized findings', () => {
  const finding = (id: string, more: Partial<ScannedFinding> = {}): ScannedFinding => ({
    ...{ id, level: 'error', message: '', location: null, severity: 'high', ...more },
  });

  it('are the same in any order, and each once with its worst severity', () => {
    const some = [
      finding('B'),
      finding('A'),
      finding('C', { severity: 'critical' }),
      finding('A', { severity: 'low' }),
    ];
    const { findings, others } = normalizeFindings(some);
    expect(findings.map(({ id, severity }) => `${severity} ${id}`)).toEqual(['critical C', 'high A', 'high B']);
    expect(normalizeFindings(some.toReversed()).findings).toEqual(findings);
    expect(others).toEqual({});
  });

  it('are bounded: the least severe are only counted', () => {
    const many = Array.from({ length: 10_050 }, (_, i) => finding(`N${i}`, { severity: i < 20 ? 'critical' : 'low' }));
    const { findings, others } = normalizeFindings(many);
    expect(findings).toHaveLength(10_000);
    expect(findings[19]?.severity).toBe('critical');
    expect(others).toEqual({ low: 50 });
  });

  it('are bounded in length', () => {
    const long = 'x'.repeat(5_000);
    const aliases = Array.from({ length: 100 }, (_, i) => `${i}${long}`);
    const many = Array.from({ length: 5_000 }, (_, i) => {
      return finding(`${i}${long}`, { aliases, component: `${i}${long}`, fixed: long, message: long });
    });
    const { findings, others } = normalizeFindings(many);
    expect(JSON.stringify(findings).length).toBeLessThan(5 * 1024 * 1024);
    expect(findings.length + (others.high ?? 0)).toBe(5_000);
  });

  it('have nothing that cannot be stored', () => {
    const [one] = normalizeFindings([finding('A\u0000', { message: '\ud800', aliases: ['', 'A\ufffd'] })]).findings;
    expect(one).toEqual({ id: 'A\ufffd', severity: 'high', title: '\ufffd' });
  });
});
