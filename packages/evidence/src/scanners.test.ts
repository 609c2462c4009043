import { describe, expect, it } from 'vitest';
import { readFindings } from './findings.ts';
import { Unreadable } from './unreadable.ts';

function read(document: unknown) {
  return readFindings({ name: 'scan.json', bytes: Buffer.from(JSON.stringify(document)) });
}

function listed(document: unknown): string[] {
  return read(document).findings.map(({ level, id, location }) => `${level} ${id} at ${location}`);
}

describe('the JSON of Trivy', () => {
  const report = (...results: object[]) => ({
    SchemaVersion: 2,
    Trivy: { Version: '0.68.1' },
    ArtifactName: 'shop:1',
    Results: results,
  });

  it('is read by severity: vulnerabilities, misconfigurations that fail, secrets and licenses', () => {
    const document = report(
      {
        Target: 'shop:1 (alpine 3.22)',
        Class: 'os-pkgs',
        Vulnerabilities: [
          {
            VulnerabilityID: 'CVE-1',
            PkgName: 'ssl',
            InstalledVersion: '3.1',
            Severity: 'CRITICAL',
            Title: 'Overflow',
          },
          { VulnerabilityID: 'CVE-2', PkgName: 'zlib', Severity: 'MEDIUM' },
          { VulnerabilityID: 'CVE-3', PkgName: 'curl', Severity: 'UNKNOWN' },
          { VulnerabilityID: 'CVE-4', PkgName: 'tar', Severity: 'LOW' },
        ],
      },
      {
        Target: 'Dockerfile',
        Misconfigurations: [
          { ID: 'DS002', Title: 'Runs as root', Status: 'FAIL', Severity: 'HIGH' },
          { ID: 'DS026', Status: 'PASS', Severity: 'LOW' },
        ],
      },
      { Target: 'app.env', Secrets: [{ RuleID: 'aws-key', StartLine: 3, Severity: 'CRITICAL', Match: 'hidden' }] },
      { Target: 'go.mod', Licenses: [{ Name: 'AGPL-3.0', PkgName: 'mod', Severity: 'HIGH' }] },
      { Target: 'package-lock.json' },
    );
    expect(listed(document)).toEqual([
      'error CVE-1 at ssl@3.1',
      'error DS002 at Dockerfile',
      'error aws-key at app.env:3',
      'error AGPL-3.0 at mod',
      'warning CVE-2 at zlib',
      'warning CVE-3 at curl',
      'note CVE-4 at tar',
    ]);
    expect(read(document)).toMatchObject({
      tool: { name: 'Trivy', version: '0.68.1' },
      errors: 4,
      warnings: 2,
      notes: 1,
    });
    expect(JSON.stringify(read(document))).not.toContain('hidden');
  });

  it('may have found nothing in what it scanned', () => {
    expect(read(report({ Target: 'go.mod' }))).toMatchObject({ total: 0 });
  });

  it.each([
    ['nothing was scanned', { ...report(), Results: undefined }, 'Results: Trivy lists no target'],
    ['nothing was scanned, as a list', report(), 'Results: Trivy lists no target'],
    ['another schema', { ...report({ Target: 'a' }), SchemaVersion: 1 }, 'SchemaVersion: '],
    ['a result without target', report({}), 'Results[0].Target: '],
    [
      'a vulnerability without id',
      report({ Target: 'a', Vulnerabilities: [{}] }),
      'Results[0].Vulnerabilities[0].VulnerabilityID: ',
    ],
  ])('is refused when there is %s', (_, document, message) => {
    expect(() => read(document)).toThrow(Unreadable);
    expect(() => read(document)).toThrow(`scan.json: ${message}`);
  });
});

describe('the JSON of Grype', () => {
  const match = (id: string, severity?: string) => ({
    vulnerability: { id, severity, description: 'd' },
    artifact: { name: 'ssl', version: '3.1' },
  });
  const report = (...matches: object[]) => ({ matches, source: {}, descriptor: { name: 'grype', version: '0.104.0' } });

  it('is read by severity, without ignored matches', () => {
    const severities = ['Critical', 'High', 'Medium', 'Unknown', undefined, 'Low', 'Negligible'];
    const document = {
      ...report(...severities.map((severity, index) => match(`CVE-${index}`, severity))),
      ignoredMatches: [match('CVE-9', 'Critical')],
    };
    expect(read(document)).toMatchObject({
      tool: { name: 'Grype', version: '0.104.0' },
      errors: 2,
      warnings: 3,
      notes: 2,
    });
    expect(listed(document)[0]).toBe('error CVE-0 at ssl@3.1');
  });

  it('may have found nothing, and is refused when a match is wrong', () => {
    expect(read(report())).toMatchObject({ total: 0 });
    expect(() => read(report({ artifact: { name: 'a' } }))).toThrow('scan.json: matches[0].vulnerability: ');
  });
});

describe('the JSON of Gitleaks', () => {
  const leak = {
    RuleID: 'aws-key',
    Description: 'AWS key',
    File: 'a.env',
    StartLine: 3,
    Secret: 'hidden',
    Match: 'hidden',
  };

  it('has an error for each leak, and the secret stays in the file', () => {
    expect(listed([leak, { ...leak, StartLine: null }])).toEqual([
      'error aws-key at a.env:3',
      'error aws-key at a.env',
    ]);
    expect(JSON.stringify(read([leak]))).not.toContain('hidden');
  });

  it('is refused when a leak is wrong', () => {
    expect(() => read([leak, { ...leak, RuleID: 7 }])).toThrow('scan.json: [1].RuleID: ');
  });
});

describe('the JSON of OSV-Scanner', () => {
  const affected = (groups: object[], vulnerabilities: object[]) => ({
    results: [
      {
        source: { path: 'go.mod', type: 'lockfile' },
        packages: [{ package: { name: 'net', version: '0.1.0', ecosystem: 'Go' }, groups, vulnerabilities }],
      },
    ],
  });

  it('is read by the score of each group, whatever the aliases of a vulnerability', () => {
    const groups = [
      { ids: ['GHSA-1', 'GO-1'], max_severity: '7.5' },
      { ids: ['GHSA-2'], max_severity: '5.3' },
      { ids: ['GHSA-3'], max_severity: '2.0' },
      { ids: ['GO-4'], max_severity: '' },
    ];
    const vulnerabilities = ['GHSA-1', 'GO-1', 'GHSA-2', 'GHSA-3', 'GO-4', 'GO-5'].map((id) => ({ id, summary: id }));
    expect(listed(affected(groups, vulnerabilities))).toEqual([
      'error GHSA-1 at net@0.1.0',
      'warning GHSA-2 at net@0.1.0',
      'warning GO-4 at net@0.1.0',
      'warning GO-5 at net@0.1.0',
      'note GHSA-3 at net@0.1.0',
    ]);
  });

  it('may have found nothing, and is refused when a group is wrong', () => {
    expect(read({ results: [], experimental_config: {} })).toMatchObject({ tool: { name: 'OSV-Scanner' }, total: 0 });
    expect(() => read(affected([{ ids: 1 }], []))).toThrow('scan.json: results[0].packages[0].groups[0].ids: ');
  });
});
