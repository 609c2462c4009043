import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Attestation, listAttestations } from '@waymark/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { givenEnvelope, givenKeys, givenStatement } from '../../../../../packages/evidence/src/given/envelope.ts';
import { givenFlow, TEMPLATE } from '../../../../server/test/given/evidence.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { GITHUB_BUILD } from '../../../test/given-build.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
const APP = 'a172cedcae47474b615c54d510a5d84a8dea3032e958587430b413538be3f333';
const TESTS = '<testsuite name="a"><testcase name="x"/></testsuite>';
const BOM = JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components: [] });
const SPDX = JSON.stringify({
  spdxVersion: 'SPDX-2.3',
  SPDXID: 'SPDXRef-DOCUMENT',
  name: 'a',
  dataLicense: 'CC0-1.0',
  documentNamespace: 'https://example.com/a',
  creationInfo: { created: '2026-11-15T03:00:00Z', creators: ['Tool: x'] },
  packages: [],
});
const SARIF = JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: 'S' } }, results: [] }] });
const COBERTURA = '<?xml version="1.0"?><coverage line-rate="0.71" lines-covered="71" lines-valid="100"></coverage>';

function place(trail: string, files: Record<string, string>): string {
  const cwd = join(cli.home, trail);
  mkdirSync(cwd, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), content);
  }
  return cwd;
}

function auto(trail: string, cwd: string, line: string[] = [], env: Record<string, string> = {}) {
  const build = { ...GITHUB_BUILD, WAYMARK_FLOW: 'shop', WAYMARK_TRAIL: trail };
  return cli.run(['attest', 'auto', ...line], { cwd, env: { ...build, ...env } });
}

async function recordedIn(trail: string): Promise<[string, string, boolean][]> {
  const { body } = await api.call(listAttestations, { query: { per_page: '100' } });
  return body.data
    .filter((one: Attestation) => one.trail_name === trail)
    .map((one: Attestation): [string, string, boolean] => [
      one.attestation_name,
      one.attestation_type,
      one.is_compliant,
    ])
    .sort();
}

beforeAll(() => givenFlow(api, 'shop', TEMPLATE));

describe('attest auto', () => {
  it('recognizes reports by their content, and lists the files it does not recognize', async () => {
    const cwd = place('known', {
      'out/one.txt': TESTS,
      'out/two.xml': TESTS,
      'out/scan.json': SARIF,
      'out/bom': BOM,
      'out/spdx.json': SPDX,
      'out/other.json': '{"a":1}',
      'out/page.xml': '<html></html>',
      'out/cov.xml': COBERTURA,
    });
    const { code, stdout, stderr } = await auto('known', cwd, ['out']);
    expect(code).toBe(0);
    expect(await recordedIn('known')).toEqual([
      ['junit', 'junit', true],
      ['sarif', 'snyk', true],
      ['sbom', 'sbom', true],
      ['sbom-2', 'sbom', true],
    ]);
    expect(stdout).toContain('✓  junit   junit         2 passed, 0 failed');
    expect(stdout).toContain('✓  sarif   snyk (SARIF)  0 errors');
    expect(stdout).toMatch(/4 recorded, 0 spooled · \d+\.\d s · http/);
    expect(stderr).toContain('out/other.json  skipped: JSON, but not a known report format');
    expect(stderr).toContain('out/page.xml  skipped: XML with the root <html>');
    expect(stderr).toContain('out/cov.xml  skipped: 71 % of lines; add --min-coverage for a verdict');
  });

  it.each([
    ['70', true],
    ['71', true],
    ['75', false],
  ])('judges coverage of 71 %% by --min-coverage %s', async (least, verdict) => {
    const trail = `coverage-${least}`;
    const cwd = place(trail, {
      'cobertura.xml': COBERTURA,
      'jacoco.xml':
        '<!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd"><report name="x"><package><counter type="LINE" missed="9" covered="1"/></package><counter type="LINE" missed="29" covered="71"/></report>',
      'lcov.info': 'TN:\nSF:a.js\nLF:100\nLH:71\nend_of_record\n',
    });
    expect((await auto(trail, cwd, ['.', '--min-coverage', least])).code).toBe(0);
    const { body } = await api.call(listAttestations, { query: { name: 'coverage' } });
    const found = body.data.find((one: Attestation) => one.trail_name === trail);
    expect(found).toMatchObject({
      is_compliant: verdict,
      attestation_type: 'generic',
      user_data: { coverage: { line_percent: 71, lines_covered: 213, lines_valid: 300 } },
    });
  });

  it('attests provenance about its subject', async () => {
    const subject = [{ name: 'app', digest: { sha256: APP } }];
    const envelope = givenEnvelope(givenStatement({ subject }), [{ by: givenKeys.ed25519(), keyid: 'k' }]);
    const cwd = place('provenance', { 'app.tgz': 'app', 'out/p.json': JSON.stringify(envelope) });
    await cli.run(['attest', 'artifact', 'app.tgz', '--name', 'backend'], {
      cwd,
      env: { ...GITHUB_BUILD, WAYMARK_FLOW: 'shop', WAYMARK_TRAIL: 'provenance' },
    });
    const { code, stdout } = await auto('provenance', cwd, ['out', '--artifact', 'backend']);
    expect(code).toBe(0);
    expect(stdout).toContain('signer unknown — A key signed it, and the org trusts no key.');
    expect(await recordedIn('provenance')).toEqual([['provenance', 'in_toto', false]]);
  });

  it.each([
    ['an empty report', { 'a.xml': '' }],
    ['tests that are cut short', { 'a.xml': TESTS.slice(0, 30) }],
    ['findings that are cut short', { 'a.sarif': SARIF.slice(0, -4) }],
    ['an SBOM that is cut short', { 'a.json': BOM.slice(0, -4) }],
    ['coverage that is cut short', { 'a.xml': COBERTURA.slice(0, -8) }],
    ['coverage of nothing', { 'a.xml': '<coverage line-rate="1" lines-covered="0" lines-valid="0"></coverage>' }],
  ])('%s is an error, and the others are recorded', async (what, files) => {
    const trail = what.replaceAll(' ', '-').toLowerCase();
    const cwd = place(trail, { ...files, 'good/bom.json': SPDX });
    const { code, stdout, stderr } = await auto(trail, cwd, ['.', '--min-coverage', '0']);
    expect(code).toBe(2);
    expect(stdout).toContain('✕');
    expect(stderr).toContain('::error title=Not attested');
    expect(await recordedIn(trail)).toEqual([['sbom', 'sbom', true]]);
    expect((await auto(trail, cwd, ['.', '--min-coverage', '0', '--dry-run'])).code).toBe(2);
  });

  it('ends with 2 when there is nothing', async () => {
    const { code, stderr } = await auto('nothing', place('nothing', { 'a.txt': 'x' }), ['*.txt']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('No reports found')]);
  });

  it('sends nothing when a pattern finds no file', async () => {
    const cwd = place('missing', { 'a.xml': TESTS });
    const { code, stderr } = await auto('missing', cwd, ['a.xml', 'reports/**', 'b*.xml']);
    expect([code, stderr]).toEqual([2, expect.stringContaining("No file matches 'reports/**', 'b*.xml'")]);
    expect(await recordedIn('missing')).toEqual([]);
  });

  it('treats a chosen file with a JSON name and other content as damaged', async () => {
    const cwd = place('called-json', { 'out/a.json': '{"results":[', 'out/b.xml': TESTS });
    const chosen = await auto('called-json', cwd, ['out']);
    expect([chosen.code, chosen.stdout]).toEqual([
      2,
      expect.stringContaining('out/a.json is damaged: its JSON is invalid or truncated'),
    ]);
    const any = await auto('called-json', cwd);
    expect([any.code, any.stderr]).toEqual([0, expect.stringContaining('out/a.json  skipped: not JSON')]);
  });

  it('follows the rules of .waymark.yml', async () => {
    const rules = `version: 1
evidence:
  - { name: unit-tests, type: junit, path: 'reports/**/*.xml', artifact: backend }
  - { name: sbom, type: cyclonedx, path: bom.json }
  - { name: sast, type: sarif, path: 'none/*.sarif', optional: true }
`;
    const reports = { 'reports/a/b.xml': TESTS, 'bom.json': BOM };
    const cwd = place('rules', { '.waymark.yml': rules, '.git/HEAD': '', 'sub/x': '', ...reports });
    const { code, stderr } = await auto('rules', join(cwd, 'sub'));
    expect([code, stderr]).toEqual([0, expect.stringContaining('sast  skipped: no file matches none/*.sarif')]);
    expect(await recordedIn('rules')).toEqual([
      ['sbom', 'sbom', true],
      ['unit-tests', 'junit', true],
    ]);
    writeFileSync(join(cwd, '.waymark.yml'), rules.replace(', optional: true', ''));
    const missing = await auto('rules-missing', cwd);
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringContaining("No file matches 'none/*.sarif' (sast in .waymark.yml)"),
    ]);
    expect(await recordedIn('rules-missing')).toEqual([]);
    writeFileSync(join(cwd, '.waymark.yml'), rules.replace('optional: true', 'optional: perhaps'));
    expect((await auto('rules-missing', cwd)).stderr).toContain('evidence[2].optional must be true or false');
    writeFileSync(join(cwd, '.waymark.yml'), rules);
    writeFileSync(join(cwd, 'bom.json'), SARIF);
    const wrong = await auto('rules', cwd);
    expect([wrong.code, wrong.stdout]).toEqual([2, expect.stringContaining('not cyclonedx: it is sarif')]);
  });

  it('writes the summary of the job once, and records nothing in a dry run', async () => {
    const cwd = place('summary', { 'a.xml': TESTS });
    const summary = join(cli.home, 'summary.md');
    writeFileSync(summary, '');
    const dry = await auto('summary', cwd, ['a.xml', '--dry-run'], { GITHUB_STEP_SUMMARY: summary });
    expect([dry.code, readFileSync(summary, 'utf8'), await recordedIn('summary')]).toEqual([0, '', []]);
    expect(dry.stdout).toMatch(/^1 would be recorded · /m);
    await auto('summary', cwd, ['a.xml'], { GITHUB_STEP_SUMMARY: summary });
    await auto('summary', cwd, ['a.xml'], { GITHUB_STEP_SUMMARY: summary });
    const text = readFileSync(summary, 'utf8');
    expect(text).toContain('| ✓ | junit | junit | 1 passed, 0 failed |');
    expect(text.match(/1 passed/g)).toHaveLength(1);
  });

  it('refuses an invalid percentage', async () => {
    expect((await auto('x', cli.cwd, ['--min-coverage', '101'])).code).toBe(2);
    expect((await auto('x', cli.cwd, ['--min-coverage', ''])).code).toBe(2);
  });
});
