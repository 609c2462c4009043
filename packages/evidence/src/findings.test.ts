import { describe, expect, it } from 'vitest';
import { readFindings } from './findings.ts';
import { givenTgz } from './given/archive.ts';
import { Unreadable } from './unreadable.ts';

function read(document: unknown) {
  return readFindings({ name: 'scan.json', bytes: Buffer.from(JSON.stringify(document)) });
}

function sarif(results: unknown, rules: unknown[] = [], more: object = {}) {
  const tool = { driver: { name: 'Scanner', semanticVersion: '1.2.3', rules } };
  return { version: '2.1.0', runs: [{ tool, results, ...more }] };
}

const message = { text: 'bad' };
const VEX = 'It says which findings of a scan do not apply. Send it as type vex: waymark attest vex FILE';

function levels(results: unknown[], rules: unknown[] = []): string[] {
  return read(sarif(results, rules)).findings.map((finding) => finding.level);
}

describe('a SARIF log', () => {
  it('is counted by level, with the first location of each result', () => {
    const place = { physicalLocation: { artifactLocation: { uri: 'src/a.ts' }, region: { startLine: 7 } } };
    const nowhere = { physicalLocation: { artifactLocation: { uri: 'go.mod' } } };
    expect(
      read(
        sarif([
          { ruleId: 'r1', level: 'error', message, locations: [place, nowhere] },
          { ruleId: 'r2', level: 'warning', message: { markdown: '**bad**' }, locations: [nowhere] },
          { rule: { id: 'r3' }, level: 'note', message: { id: 'default' } },
          { ruleId: 'r4', level: 'none', message },
        ]),
      ),
    ).toMatchObject({
      tool: { name: 'Scanner', version: '1.2.3' },
      errors: 1,
      warnings: 1,
      notes: 1,
      total: 3,
      findings: [
        { id: 'r1', level: 'error', message: 'bad', location: 'src/a.ts:7' },
        { id: 'r2', level: 'warning', message: '**bad**', location: 'go.mod' },
        { id: 'r3', level: 'note', message: 'default', location: null },
      ],
    });
  });

  it('takes the level from the rule where the result has none, and from the kind before that', () => {
    const rules = [{ id: 'loud', defaultConfiguration: { level: 'error' } }, { id: 'plain' }];
    expect(
      levels(
        [
          { ruleId: 'loud', message },
          { ruleIndex: 0, message },
          { ruleId: 'plain', message },
          { message },
          { ruleId: 'loud', kind: 'pass', message },
        ],
        rules,
      ),
    ).toEqual(['error', 'error', 'warning', 'warning']);
  });

  it('is raised by a security severity, of the result before that of its rule, and never lowered', () => {
    const scored = (score: unknown) => ({ 'security-severity': score });
    const rules = [
      { id: 'r7', properties: scored('7.0') },
      { id: 'r6', properties: scored('6.9') },
      { id: 'r3', properties: scored(3.9) },
      { id: 'odd', properties: scored('NaN') },
      { id: 'huge', properties: scored('1e309') },
    ];
    expect(
      levels(
        [
          { ruleId: 'r7', level: 'note', message },
          { ruleId: 'r6', level: 'error', message },
          { ruleId: 'r3', level: 'error', message },
          { ruleId: 'r3', level: 'error', message, properties: scored('9.8') },
          { ruleId: 'odd', level: 'error', message },
          { ruleId: 'huge', level: 'note', message },
        ],
        rules,
      ),
    ).toEqual(['error', 'error', 'error', 'error', 'error', 'note']);
  });

  it('finds rules in the extensions of the tool', () => {
    const extensions = [{ name: 'pack', rules: [{ id: 'x' }, { id: 'y', defaultConfiguration: { level: 'error' } }] }];
    const tool = { driver: { name: 'Scanner' }, extensions };
    const results = [
      { rule: { index: 1, toolComponent: { index: 0 } }, message },
      { ruleId: 'y', message },
    ];
    const { findings } = read({ version: '2.1.0', runs: [{ tool, results }] });
    expect(findings.map(({ id, level }) => [id, level])).toEqual([
      ['y', 'error'],
      ['y', 'error'],
    ]);
  });

  it('leaves out suppressed and absent results, but not partly suppressed ones', () => {
    const { total } = read(
      sarif([
        { message, suppressions: [{ kind: 'inSource' }] },
        { message, suppressions: [{ kind: 'external', status: 'accepted' }] },
        { message, baselineState: 'absent' },
        { message, suppressions: [] },
        { message, suppressions: [{ status: 'accepted' }, { status: 'underReview' }] },
        { message, suppressions: [{ status: 'rejected' }] },
      ]),
    );
    expect(total).toBe(3);
  });

  it('lists the first 100 and counts all', () => {
    const result = read(sarif(Array.from({ length: 150 }, () => ({ level: 'error', message }))));
    expect(result.errors).toBe(150);
    expect(result.findings).toHaveLength(100);
  });

  it('may have found nothing', () => {
    expect(read(sarif([]))).toMatchObject({ total: 0, findings: [] });
  });
});

describe('a result of Snyk', () => {
  const vulnerability = { id: 'SNYK-1', severity: 'critical', title: 'RCE', packageName: 'lodash', version: '4.0.0' };

  it('is counted by severity, and a vulnerability once however many ways lead to it', () => {
    const vulnerabilities = [
      vulnerability,
      { ...vulnerability, from: ['a', 'b'] },
      { ...vulnerability, version: '3.0.0', severity: 'high' },
      { id: 'SNYK-2', severity: 'medium' },
      { id: 'SNYK-3', severity: 'low' },
    ];
    expect(read({ ok: false, vulnerabilities })).toMatchObject({
      tool: { name: 'Snyk', version: '' },
      errors: 2,
      warnings: 1,
      notes: 1,
      total: 4,
      findings: [
        { id: 'SNYK-1', level: 'error', message: 'RCE', location: 'lodash@4.0.0' },
        { id: 'SNYK-1', level: 'error', message: 'RCE', location: 'lodash@3.0.0' },
        { id: 'SNYK-2', level: 'warning', message: '', location: null },
        { id: 'SNYK-3', level: 'note', message: '', location: null },
      ],
    });
  });

  it('may be a list of projects, and have applications inside of an image', () => {
    const image = { ok: true, vulnerabilities: [], applications: [{ ok: false, vulnerabilities: [vulnerability] }] };
    expect(read([image, { vulnerabilities: [vulnerability] }])).toMatchObject({ errors: 2, total: 2 });
  });
});

it('reads all results of an archive together', () => {
  const bytes = givenTgz([
    { path: 'a.sarif', content: JSON.stringify(sarif([{ level: 'error', message }])) },
    { path: 'b.json', content: JSON.stringify({ vulnerabilities: [{ id: 'S', severity: 'low' }] }) },
    { path: 'package.json', content: '{"name":"x"}' },
  ]);
  expect(readFindings({ name: 'evidence.tgz', bytes })).toMatchObject({
    tool: { name: 'Scanner, Snyk', version: '1.2.3' },
    errors: 1,
    notes: 1,
    total: 2,
  });
});

describe('a file that proves nothing is refused', () => {
  it.each([
    ['no run', { version: '2.1.0', runs: [] }, 'runs: contains no run of a tool.'],
    ['a run without results', sarif(undefined), 'runs[0]: has no results, so the tool did not finish.'],
    ['a run that failed', sarif(null), 'runs[0]: has no results, so the tool did not finish.'],
    [
      'a tool that says so',
      sarif([], [], { invocations: [{ executionSuccessful: false }] }),
      'runs[0]: says that the tool failed.',
    ],
    ['another version', { version: '2.0.0', runs: [] }, 'version: Invalid input: expected "2.1.0".'],
    [
      'an unknown level',
      sarif([{ message }, { message, level: 'high' }]),
      'runs[0].results[1].level: Invalid option: expected one of "error"|"warning"|"note"|"none".',
    ],
    [
      'an unknown severity',
      [{ vulnerabilities: [{ id: 'a', severity: 'none' }] }],
      '[0].vulnerabilities[0].severity: Invalid option: expected one of "critical"|"high"|"medium"|"low".',
    ],
    ['a failure of Snyk', { ok: false, error: 'no manifest' }, 'vulnerabilities: Invalid input: expected array.'],
    ['a contradiction', { ok: false, vulnerabilities: [] }, 'says "ok": false but lists no vulnerability.'],
    [
      'another document',
      { hello: 1 },
      'is neither SARIF (no "runs") nor a result of Snyk, Trivy, Grype, Gitleaks or OSV-Scanner.',
    ],
    [
      'an empty list',
      [],
      'is an empty list, not a scan result. It does not say which tool found nothing. For Gitleaks, write SARIF: gitleaks git --report-format sarif --report-path gitleaks.sarif',
    ],
    [
      'OpenVEX',
      { '@context': 'https://openvex.dev/ns/v0.2.0', statements: [] },
      `is OpenVEX, not a scan result. ${VEX}`,
    ],
    ['CSAF', { document: { csaf_version: '2.0', category: 'csaf_vex' } }, `is CSAF, not a scan result. ${VEX}`],
    [
      'an SBOM with vulnerabilities',
      { bomFormat: 'CycloneDX', specVersion: '1.6', vulnerabilities: [] },
      'is an SBOM, not a scan result. Send it as type sbom: waymark attest sbom FILE',
    ],
  ])('%s', (_, document, text) => {
    expect(() => read(document)).toThrow(new Unreadable(`scan.json: ${text}`));
  });
});
