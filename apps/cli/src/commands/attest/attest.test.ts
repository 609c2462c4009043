import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Attestation, getArtifact, listAttestations, postAttestationType } from '@waymark/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { givenEnvelope, givenKeys, givenStatement } from '../../../../../packages/evidence/src/given/envelope.ts';
import { fingerprint, givenFlow, TEMPLATE } from '../../../../server/test/given/evidence.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { COMMIT, GITHUB_BUILD } from '../../../test/given-build.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
const APP = 'a172cedcae47474b615c54d510a5d84a8dea3032e958587430b413538be3f333';

function run(trail: string, line: readonly string[], stdin?: string) {
  const env = { ...GITHUB_BUILD, WAYMARK_FLOW: 'shop', WAYMARK_TRAIL: trail };
  return cli.run(line, { env, ...(stdin !== undefined && { stdin }) });
}

const attest = (trail: string, ...line: string[]) => run(trail, ['attest', ...line]);

async function recordedIn(trail: string): Promise<Attestation[]> {
  const { body } = await api.call(listAttestations, { query: { per_page: '100' } });
  return body.data.filter((one: Attestation) => one.trail_name === trail);
}

function file(path: string, content: string | object): string {
  writeFileSync(join(cli.cwd, path), typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const sarif = (...results: object[]) => ({ version: '2.1.0', runs: [{ tool: { driver: { name: 'S' } }, results }] });
const GOOD_TESTS = '<testsuite name="a"><testcase name="x"/><testcase name="y"/></testsuite>';
const BAD_TESTS = '<testsuite name="b"><testcase name="z"><failure message="boom"/></testcase></testsuite>';

beforeAll(async () => {
  await givenFlow(api, 'shop', TEMPLATE);
  file('app.tgz', 'app');
  mkdirSync(join(cli.cwd, 'reports/deep'), { recursive: true });
  file('reports/a.xml', GOOD_TESTS);
  file('reports/deep/b.xml', BAD_TESTS);
  file('reports/pom.xml', '<project><name>no tests</name></project>');
});

describe('attest generic', () => {
  it.each([
    [['--compliant'], true],
    [['--compliant=true'], true],
    [['--compliant', 'true'], true],
    [['--compliant', 'false'], false],
    [['--compliant=false'], false],
    [['--compliant=FALSE'], false],
    [['--non-compliant'], false],
  ])('%j is taken as %s', async (flags, verdict) => {
    const trail = `generic-${flags.join('').replace(/[^a-z]/gi, '-')}`;
    expect((await attest(trail, 'generic', '--name', 'check', ...flags)).code).toBe(0);
    expect(await recordedIn(trail)).toMatchObject([{ attestation_name: 'check', is_compliant: verdict }]);
  });

  it.each([
    [[], 'No verdict is set'],
    [['--compliant', ''], '--compliant is empty'],
    [['--compliant='], '--compliant is empty'],
    [['--compliant', ' '], '--compliant is empty'],
    [['--compliant', 'perhaps'], "must be true or false, not 'perhaps'"],
    [['--compliant', '--non-compliant'], 'cannot be combined'],
    [['--compliant=false', '--non-compliant'], 'cannot be combined'],
    [['--compliant=false', '--compliant'], 'is repeated'],
    [['--compliant', '--compliant=false'], 'is repeated'],
    [['--compliant', '--compliant'], 'is repeated'],
  ])('%j is refused, and nothing is recorded', async (flags, message) => {
    const { code, stderr } = await attest('generic-refused', 'generic', '--name', 'check', ...flags);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(await recordedIn('generic-refused')).toEqual([]);
  });

  it('records all flags', async () => {
    file('data.json', { team: 'red' });
    file('k6.json', 'load');
    const { code, stdout } = await attest(
      ...(['notes', 'generic', '--name', 'load-test', '--non-compliant', '--reason', 'p99 is 2 s'] as const),
      ...[
        '--description',
        'Load',
        '--user-data',
        'data.json',
        '--annotate',
        'tool=k6',
        '--link',
        'run=https://k6.example',
      ],
      ...['--attachment', 'k6.json', '--json'],
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      is_compliant: false,
      description: 'Load',
      user_data: { team: 'red' },
      annotations: { tool: 'k6', reason: 'p99 is 2 s' },
      external_urls: { run: { href: 'https://k6.example' } },
      origin_url: 'https://github.com/acme/shop/actions/runs/42/attempts/1',
      git_commit_info: { sha1: COMMIT, branch: 'main' },
      repo_info: { name: 'acme/shop', id: '4711', provider: 'github' },
      evidence_archive_path: 'k6.json',
    });
  });

  it('prints what it recorded, and warns on the page of the build', async () => {
    const { stdout, stderr } = await attest(
      'said',
      'generic',
      '--name',
      'x',
      '--non-compliant',
      '--reason',
      'too slow',
    );
    expect(stdout).toBe('✕  x  generic  too slow\n');
    expect(stderr).toContain('::warning title=Non-compliant%3A x::too slow\n');
  });

  it.each([
    ['no name', ['--compliant'], '--name is missing'],
    ['an empty name', ['--compliant', '--name', ''], '--name is empty'],
    ['a name with two dots', ['--compliant', '--name', 'a.b.c'], "ARTIFACT.NAME, not 'a.b.c'"],
    ['two artifacts', ['--compliant', '--name', 'a.b', '--artifact', 'c'], 'Use one of them'],
    ['a note without a value', ['--compliant', '--name', 'a', '--annotate', 'x'], "must be KEY=VALUE, not 'x'"],
    ['a file that is not there', ['--compliant', '--name', 'a', '--attachment', 'no'], 'No such file'],
    ['data that is no JSON', ['--compliant', '--name', 'a', '--user-data', 'app.tgz'], 'app.tgz is not JSON'],
    ['a name the service refuses', ['--compliant', '--name', 'a b'], 'must contain only letters'],
  ])('refuses %s', async (_, flags, message) => {
    const { code, stderr } = await attest('refused', 'generic', ...flags);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('checks everything in a dry run and records nothing', async () => {
    const good = await attest('dry', 'generic', '--name', 'x', '--compliant', '--dry-run');
    expect([good.code, good.stderr]).toEqual([0, expect.stringContaining('(dry run: nothing was recorded)')]);
    const bad = await attest('dry', 'generic', '--name', 'x y', '--compliant', '--dry-run');
    expect(bad.code).toBe(2);
    const denied = await cli.run(['attest', 'generic', '--name', 'x', '--compliant', '--dry-run'], {
      env: { WAYMARK_FLOW: 'shop', WAYMARK_TRAIL: 'dry', WAYMARK_TOKEN: 'not-a-key' },
    });
    expect(denied.code).toBe(4);
    expect(await recordedIn('dry')).toEqual([]);
  });
});

describe('the subject of evidence', () => {
  it('may be an artifact by its template name, before it is reported', async () => {
    const { stderr, stdout } = await attest('early', 'generic', '--name', 'backend.review', '--compliant');
    expect(stderr).toContain("'review' waits for artifact 'backend'");
    expect(stdout).toContain('→ backend');
    expect(await recordedIn('early')).toMatchObject([{ target_artifacts: ['backend'], attestation_name: 'review' }]);
  });

  it('is reported as unknown when the template lacks the name', async () => {
    const { code, stderr } = await attest('typo', 'generic', '--name', 'x', '--artifact', 'back-end', '--compliant');
    expect([code, stderr]).toEqual([0, expect.stringContaining('the template of the trail has no artifact')]);
  });

  it('needs a commit then', async () => {
    const { code, stderr } = await cli.run(['attest', 'generic', '--name', 'backend.x', '--compliant'], {
      env: { WAYMARK_FLOW: 'shop', WAYMARK_TRAIL: 'early' },
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('Add --commit')]);
  });

  it('may be a path, but never a bare word, even where such a file exists', async () => {
    mkdirSync(join(cli.cwd, 'backend'), { recursive: true });
    await attest('paths', 'artifact', 'app.tgz', '--name', 'backend');
    for (const which of ['./app.tgz', `sha256:${APP}`, APP, 'backend']) {
      expect((await attest('paths', 'generic', '--name', 'x', '--artifact', which, '--compliant')).code).toBe(0);
    }
    const about = (await recordedIn('paths')).map(
      ({ artifact_fingerprint: it, target_artifacts }) => it ?? target_artifacts,
    );
    expect(about).toEqual([['backend'], APP, APP, APP]);
  });

  it('is refused when a fingerprint is truncated', async () => {
    const { code, stderr } = await attest('paths', 'generic', '--name', 'x', '--artifact', 'sha256:abc', '--compliant');
    expect([code, stderr]).toEqual([2, expect.stringContaining("'sha256:abc' is not a fingerprint")]);
  });
});

describe('attest artifact', () => {
  it('reports a file with the facts of the build', async () => {
    const { code, stdout } = await attest('built', 'artifact', 'app.tgz', '--name', 'backend');
    expect([code, stdout]).toEqual([0, `sha256:${APP}  app.tgz\n`]);
    const { body } = await api.call(getArtifact, {
      params: { flow_name: 'shop', fingerprint: APP },
      query: { trail: 'built' },
    });
    expect(body).toMatchObject({
      filename: 'app.tgz',
      git_commit: COMMIT,
      template_reference_name: 'backend',
      build_url: 'https://github.com/acme/shop/actions/runs/42/attempts/1',
      commit_url: `https://github.com/acme/shop/commit/${COMMIT}`,
      repo_info: { id: '4711' },
    });
  });

  it('leaves out the excluded files of a directory', async () => {
    mkdirSync(join(cli.cwd, 'dist'), { recursive: true });
    file('dist/a.js', 'a');
    const before = await attest('built', 'artifact', 'dist', '--exclude', '*.log');
    file('dist/b.log', 'noise');
    const after = await attest('built', 'artifact', 'dist', '--exclude', '*.log');
    const all = await attest('built', 'artifact', 'dist');
    expect(after.stdout).toBe(before.stdout);
    expect(all.stdout).not.toBe(before.stdout);
  });

  it('takes a fingerprint with a name', async () => {
    const digest = fingerprint('d');
    expect((await attest('built', 'artifact', `sha256:${digest}`)).stderr).toContain('Add --filename');
    const { code, stdout } = await attest('built', 'artifact', `sha256:${digest}`, '--filename', 'web', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([0, [{ fingerprint: digest, filename: 'web' }]]);
  });

  it('takes several at once, without a name for them', async () => {
    file('b.tgz', 'b');
    expect((await attest('built', 'artifact', 'app.tgz', 'b.tgz')).code).toBe(0);
    expect((await attest('built', 'artifact', 'app.tgz', 'b.tgz', '--name', 'backend')).code).toBe(2);
  });

  it('asks for values that no source provides', async () => {
    const env = { WAYMARK_FLOW: 'shop', WAYMARK_TRAIL: 'built' };
    const line = ['attest', 'artifact', 'app.tgz'];
    expect((await cli.run(line, { env })).stderr).toContain('Add --build-url');
    const nothing = await cli.run(['attest', 'artifact', 'nofile'], { env });
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('nofile: No such file')]);
    const build = [...line, '--build-url', 'https://ci.example/1'];
    expect((await cli.run(build, { env })).stderr).toContain('Add --commit-url');
    const { code } = await cli.run([...build, '--commit-url', 'https://git.example/1', '--commit', COMMIT], { env });
    expect(code).toBe(0);
  });

  it.each([
    ['nope.tgz', 'No such file or directory'],
    ['https://example.com/a.tgz', 'is not an artifact'],
    ['oci://UPPER CASE', 'UPPER CASE'],
  ])('refuses %s', async (reference, message) => {
    const { code, stderr } = await attest('built', 'artifact', reference);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('records nothing in a dry run', async () => {
    const { code } = await attest('dry-artifact', 'artifact', 'app.tgz', '--dry-run');
    expect(code).toBe(0);
    const { status } = await api.call(getArtifact, {
      params: { flow_name: 'shop', fingerprint: APP },
      query: { trail: 'dry-artifact' },
    });
    expect(status).toBe(404);
  });
});

describe('attest junit', () => {
  it('lets the service judge one file', async () => {
    const { code, stdout } = await attest('junit-1', 'junit', 'reports/a.xml', '--name', 'unit-tests');
    expect([code, stdout]).toEqual([0, '✓  unit-tests  junit  2 passed, 0 failed\n']);
  });

  it.each([
    ['a directory', ['reports']],
    ['a pattern', ['reports/**/*.xml']],
    ['files', ['reports/a.xml', 'reports/deep/b.xml']],
  ])('counts all of %s together', async (_, paths) => {
    const { code, stdout } = await attest('junit-2', 'junit', ...paths, '--name', 'unit-tests', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ is_compliant: false, evaluation: { total: 3, failures: 1 } });
  });

  it('reads standard input', async () => {
    const { stdout } = await run('junit-3', ['attest', 'junit', '-', '--name', 't'], BAD_TESTS);
    expect(stdout).toContain('0 passed, 1 failed');
  });

  it('attaches a file beside the reports', async () => {
    file('log.txt', 'log');
    const { stdout } = await attest(
      'junit-4',
      'junit',
      'reports/a.xml',
      '--name',
      't',
      '--attachment',
      'log.txt',
      '--json',
    );
    expect(JSON.parse(stdout)).toMatchObject({ is_compliant: true, evidence_archive_path: 'evidence.tgz' });
  });

  it.each([
    ['what is not there', ['none/*.xml'], "No JUnit report found at 'none/*.xml'"],
    ['an empty file', [() => file('empty.xml', '')], 'is empty'],
    ['a file that is cut short', [() => file('cut.xml', GOOD_TESTS.slice(0, 40))], 'cannot be read'],
    ['another kind of file that is named', ['reports/a.xml', 'reports/pom.xml'], 'is not a JUnit report'],
    [
      'elements with a prefix',
      ['reports/a.xml', () => file('prefix.xml', '<x:testsuites/>')],
      'prefixes are not supported',
    ],
    ['XML that is none', ['reports/a.xml', () => file('killed.xml', 'Killed')], 'it is not XML'],
    ['XML without an element', [() => file('none.xml', '<?xml version="1.0"?>')], 'is not a JUnit report'],
  ])('refuses %s', async (_, paths, message) => {
    const given = paths.map((path) => (typeof path === 'string' ? path : path()));
    const { code, stderr } = await attest('junit-bad', 'junit', ...given, '--name', 'unit-tests');
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(await recordedIn('junit-bad')).toEqual([]);
  });

  it('refuses a file that is too large, wherever it was found', async () => {
    mkdirSync(join(cli.cwd, 'large'), { recursive: true });
    file('large/good.xml', GOOD_TESTS);
    file('large/big.xml', BAD_TESTS.replace('boom', 'x'.repeat(51 * 1024 * 1024)));
    for (const command of [
      ['junit', 'large', '--name', 't'],
      ['auto', 'large'],
    ]) {
      const { code, stdout, stderr } = await attest('junit-large', ...command, '--dry-run');
      expect([code, stdout + stderr]).toEqual([2, expect.stringContaining('large/big.xml')]);
      expect(stdout + stderr).toContain('it is larger than 50 MiB');
    }
  });

  it('finds reports where names begin with a dot', async () => {
    for (const path of ['hidden/.out', 'hidden/.git', 'hidden/node_modules', 'hidden/deep']) {
      mkdirSync(join(cli.cwd, path), { recursive: true });
      file(`${path}/.bad.xml`, path.endsWith('t') && !path.endsWith('.git') ? BAD_TESTS : GOOD_TESTS);
    }
    for (const path of ['hidden', 'hidden/**', './hidden/']) {
      const { stdout } = await attest('junit-hidden', 'junit', path, '--name', 't', '--json');
      expect(JSON.parse(stdout)).toMatchObject({ is_compliant: false, evaluation: { total: 3, failures: 1 } });
    }
  });

  const WITHOUT_TESTS = [
    ['nothing', '<testsuite name="a"/>'],
    ['skipped tests', '<testsuite tests="1"><testcase name="x"><skipped/></testcase></testsuite>'],
    ['a count of skipped tests', '<testsuites tests="2" skipped="2"/>'],
    [
      'tests in what was printed',
      '<testsuite><system-out><![CDATA[<testcase />]]></system-out><!-- <testcase/> --></testsuite>',
    ],
  ] as const;

  it.each(WITHOUT_TESTS)('warns about %s, and refuses it with --require-tests', async (what, text) => {
    const trail = `without-${what.replaceAll(' ', '-')}`;
    const line = ['junit', file('none-ran.xml', text), '--name', 'unit-tests'];
    const refused = await attest(trail, ...line, '--require-tests');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('no test that ran')]);
    expect(await recordedIn(trail)).toEqual([]);
    for (const again of [line, ['auto', 'none-ran.xml']]) {
      const warned = await attest(trail, ...again);
      expect([warned.code, warned.stderr]).toEqual([0, expect.stringContaining('contain no test that ran')]);
      expect(warned.stderr).toContain('::warning title=No test ran');
      expect(warned.stdout).toContain('no tests — No test ran');
    }
  });

  it.each([
    ['a test', GOOD_TESTS],
    ['a test that failed', BAD_TESTS],
    ['a count alone', '<testsuite tests="2" skipped="1"/>'],
    ['one of two', '<testsuite><testcase><skipped/></testcase><testcase/></testsuite>'],
  ])('accepts %s', async (_, text) => {
    const { code, stderr } = await attest('ran', 'junit', file('ran.xml', text), '--name', 't', '--require-tests');
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('no test')]);
  });

  it('has the exit code of the real thing in a dry run', async () => {
    const good = await attest('junit-dry', 'junit', 'reports/a.xml', '--name', 't', '--dry-run');
    const cut = await attest(
      'junit-dry',
      'junit',
      file('cut.xml', GOOD_TESTS.slice(0, 40)),
      '--name',
      't',
      '--dry-run',
    );
    expect([good.code, cut.code]).toEqual([0, 2]);
    expect(await recordedIn('junit-dry')).toEqual([]);
  });
});

describe('attest sarif, snyk, sbom, sonar, custom, decision, override', () => {
  it('sarif: compliant without findings', async () => {
    const clean = await attest('sarif', 'sarif', file('clean.sarif', sarif()), '--name', 'sast');
    expect(clean.stdout).toBe('✓  sast  snyk (SARIF)  0 errors, 0 warnings, 0 notes (fails at error)\n');
    const bad = file('bad.sarif', sarif({ ruleId: 'r', level: 'error', message: { text: 'm' } }));
    expect((await attest('sarif', 'sarif', bad, 'clean.sarif', '--name', 'sast')).stdout).toContain('1 error');
  });

  it('sarif: notes and warnings fail only where --fails-at says so', async () => {
    const path = file('warned.sarif', sarif({ ruleId: 'r', level: 'warning', message: { text: 'm' } }));
    expect((await attest('levels', 'sarif', path, '--name', 'sast')).stdout).toBe(
      '✓  sast  snyk (SARIF)  0 errors, 1 warning, 0 notes (fails at error)\n',
    );
    expect((await attest('levels', 'sarif', path, '--name', 'sast', '--fails-at', 'warning')).stdout).toBe(
      '✕  sast  snyk (SARIF)  1 warning (r); fails at warning, set by the reporter.\n',
    );
    expect(await attest('levels', 'sarif', path, '--name', 'sast', '--fails-at', 'high')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--fails-at must be error, warning, or note, not 'high'"),
    });
  });

  it('snyk: its own JSON', async () => {
    const path = file('snyk.json', { ok: true, vulnerabilities: [], packageManager: 'npm' });
    expect((await attest('snyk', 'snyk', path, '--name', 'deps')).stdout).toContain('✓  deps  snyk');
  });

  it('sbom: CycloneDX is read and damaged ones are refused', async () => {
    const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', components: [{ type: 'library', name: 'x' }] };
    expect((await attest('sbom', 'sbom', file('bom.json', bom), '--name', 'sbom')).stdout).toContain('1 component');
    const cut = await attest('sbom', 'sbom', file('cut.json', '{"bomFormat":"CycloneDX",'), '--name', 'sbom');
    expect(cut.code).toBe(2);
  });

  it('sonar: what the API answers', async () => {
    const failed = file('gate.json', { projectStatus: { status: 'ERROR', conditions: [] } });
    const { stdout } = await attest('sonar', 'sonar', failed, '--name', 'gate', '--project-key', 'web', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ is_compliant: false });
    const passed = file('gate.json', { qualityGate: { status: 'OK' }, project: { key: 'web' } });
    expect((await attest('sonar', 'sonar', passed, '--name', 'gate')).stdout).toContain('✓  gate');
    expect((await attest('sonar', 'sonar', file('other.json', {}), '--name', 'gate')).code).toBe(2);
  });

  it('custom: rules of the type judge', async () => {
    await api.call(postAttestationType, {
      body: { name: 'coverage', evaluator: { content_type: 'jq', rules: ['.lines >= 80'] } },
    });
    const { stdout } = await run(
      'custom',
      ['attest', 'custom', 'coverage', '--data', '-', '--name', 'cov', '--json'],
      '{"lines":81}',
    );
    expect(JSON.parse(stdout)).toMatchObject({ is_compliant: true, attestation_type: 'custom:coverage' });
    const bad = await run('custom', ['attest', 'custom', 'coverage', '--data', '-', '--name', 'cov'], 'x');
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('--data: - is not JSON')]);
  });

  it('decision: for a control, with a reason', async () => {
    const { code, stdout } = await attest(
      'decision',
      'decision',
      'SDLC.7',
      '--compliant',
      '--reason',
      'Seen',
      '--json',
    );
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { control: 'SDLC.7', attestation_name: 'SDLC-7', is_compliant: true, attestation_data: { reason: 'Seen' } },
    ]);
    expect((await attest('decision', 'decision', 'SDLC-7')).code).toBe(2);
  });

  it('decision: warns that there is no such control yet', async () => {
    const early = await attest('decision-early', 'decision', 'SDLC-9', '--compliant');
    expect([early.code, early.stderr]).toEqual([
      0,
      expect.stringMatching(/^! Control 'SDLC-9' does not exist yet\. /m),
    ]);
    await cli.run(['control', 'create', 'SDLC-9', '--name', 'Review']);
    const { stdout } = await cli.run(['control', 'decisions', 'SDLC-9', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ trail_name: 'decision-early' }]);
    expect((await attest('decision-late', 'decision', 'SDLC-9', '--compliant')).stderr).not.toContain('does not exist');
  });

  it('override: names the reviewed report, and says what to do when a newer one has arrived', async () => {
    const fail = async () => {
      const { stdout } = await attest('reviewed', 'generic', '--name', 'x', '--non-compliant', '--json');
      return (JSON.parse(stdout) as { attestation_id: string }).attestation_id;
    };
    const line = ['override', '--name', 'x', '--type', 'generic', '--compliant', '--reason', 'Seen', '--attestation'];
    const [reviewed, newer] = [await fail(), await fail()];
    const refused = await attest('reviewed', ...line, reviewed);
    expect(refused.code).toBe(6);
    expect(refused.stdout).toBe('');
    expect(refused.stderr).toContain(`a newer report under 'x' has arrived, attestation ${newer}.`);
    expect(refused.stderr).toContain("'waymark attestation get ID' shows the newer report");
    const { code, stdout } = await attest('reviewed', ...line, newer, '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { overrides: newer, is_compliant: true }]);
  });

  it('override: replaces a verdict, with a reason', async () => {
    await attest('override', 'generic', '--name', 'x', '--non-compliant');
    const line = ['override', '--name', 'x', '--type', 'generic', '--compliant'];
    expect((await attest('override', ...line)).code).toBe(2);
    const { code, stdout } = await attest('override', ...line, '--reason', 'Seen', '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { override_reason: 'Seen', is_compliant: true }]);
  });
});

describe('attest in-toto', () => {
  const envelope = (digest: string) =>
    givenEnvelope(givenStatement({ subject: [{ name: 'app', digest: { sha256: digest } }] }), [
      { by: givenKeys.ed25519(), keyid: 'k' },
    ]);

  it('is about the subject of the statement; the key is not trusted, so it is not compliant', async () => {
    await attest('in-toto', 'artifact', 'app.tgz', '--name', 'backend');
    const path = file('provenance.json', envelope(APP));
    const { code, stdout } = await attest('in-toto', 'in-toto', path, '--name', 'provenance', '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { artifact_fingerprint: APP, is_compliant: false }]);
  });

  it('is refused about another artifact, or when it is not a statement', async () => {
    const path = file('provenance.json', envelope(fingerprint('e')));
    const other = await attest('in-toto', 'in-toto', path, '--name', 'p', '--artifact', './app.tgz');
    expect(other.code).toBe(2);
    const none = await attest('in-toto', 'in-toto', file('none.json', {}), '--name', 'p');
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('is not a signed statement')]);
  });
});
