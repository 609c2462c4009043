import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { validatePolicy } from '@waymark/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { givenPolicy, REQUIRES_PROVENANCE, REQUIRES_TESTS } from '../../../../server/test/given/policies.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';
import { givenWorld } from '../../../test/given-world.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
const stranger = await givenSignedIn(api, (await api.givenOrg('others')).keys.admin);

beforeAll(async () => {
  await givenWorld(api);
  await givenPolicy(api, 'tests', REQUIRES_TESTS);
  writeFileSync(join(cli.cwd, 'good.yml'), REQUIRES_PROVENANCE);
  writeFileSync(join(cli.cwd, 'tests.yml'), REQUIRES_TESTS);
  writeFileSync(join(cli.cwd, 'bad.yml'), 'artifacts:\n  provenance:\n    required: maybe\n  thing: 1\n');
});

it('reports that a policy is valid', async () => {
  expect(await cli.run(['policy', 'lint', 'good.yml'])).toEqual({
    code: 0,
    stderr: '',
    stdout: '✓ good.yml is valid\n',
  });
});

it('prints every problem with its line and column, and ends with 2', async () => {
  const { code, stdout } = await cli.run(['policy', 'lint', '-f', 'bad.yml']);

  expect(code).toBe(2);
  expect(stdout).toMatch(/^bad\.yml:\d+:\d+: .+$/m);
  expect(stdout).toContain('bad.yml:3:15: artifacts.provenance.required');

  const { stdout: json } = await cli.run(['policy', 'lint', '-f', 'bad.yml', '-o', 'json']);
  const { valid, problems } = validatePolicy.reply.parse(JSON.parse(json));
  expect(valid).toBe(false);
  expect(problems.length).toBe(stdout.trim().split('\n').length);
});

it('checks a policy offline, without an org or the service', async () => {
  const nobody = { env: { WAYMARK_HOST: 'http://127.0.0.1:1', WAYMARK_API_KEY: undefined, WAYMARK_ORG: undefined } };
  expect(await cli.run(['policy', 'lint', '--offline', 'good.yml'], nobody)).toEqual({
    code: 0,
    stderr: '',
    stdout: '✓ good.yml is valid\n',
  });
  const { code, stdout } = await cli.run(['policy', 'lint', '--offline', 'bad.yml'], nobody);
  expect(code).toBe(2);
  expect(stdout).toContain('bad.yml:3:15: artifacts.provenance.required');
});

describe('with fixtures', () => {
  const PASSED = '[{ name: web, attestations: [{ name: unit-tests, type: generic }] }]';
  const test = (...more: string[]) => cli.run(['policy', 'test', '-f', 'tests.yml', '--fixtures', ...more]);

  it('passes when each verdict is as expected', async () => {
    const cases = `cases:\n  - { name: tested, expect: compliant, flows: ${PASSED} }\n  - { name: not, expect: non-compliant }\n`;
    writeFileSync(join(cli.cwd, 'cases.yml'), cases);
    expect(await test('cases.yml')).toEqual({ code: 0, stderr: '', stdout: '✓ 2 of 2 cases passed\n' });
    const { stdout } = await test('cases.yml', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ cases: [{ name: 'tested', passed: true }, { passed: true }] });
  });

  it('ends with 3 when one is not, with the reasons', async () => {
    writeFileSync(
      join(cli.cwd, 'wrong.yml'),
      `cases:\n  - { name: untested, expect: compliant, flows: [{ name: web }] }\n`,
    );
    const { code, stdout } = await test('wrong.yml');
    expect(code).toBe(3);
    expect(stdout).toContain('✕ wrong.yml:2: untested: expected compliant, got non-compliant');
    expect(stdout).toContain("Policy 'tests' requires a compliant attestation named 'unit-tests'");
    expect(stdout).toContain('✕ 1 of 1 cases failed');
  });

  it('judges by what evidence says', async () => {
    const rules = [
      '{ type: snyk, findings: { max: { critical: 0 } } }',
      '{ type: sbom, licenses: { deny: [GPL-*] } }',
      '{ type: in_toto, signed_by: { key: release }, source: { commit: artifact } }',
    ];
    writeFileSync(
      join(cli.cwd, 'said.yml'),
      `_schema: https://example.com/policy/v1\nartifacts:\n  attestations:\n${rules.map((rule) => `    - ${rule}\n`).join('')}`,
    );
    const commit = 'b'.repeat(40);
    const evidence = (status: string) => `
          - { name: scan, type: snyk, findings: [{ id: CVE-1, severity: critical, component: tar@6.0.0 }] }
          - { name: vex, type: vex, trust: signature, vex: [{ names: [CVE-1], status: ${status} }] }
          - { name: bom, type: sbom, licenses: [{ expression: MIT, components: [tar@6.0.0] }] }
          - name: build
            type: in_toto
            statements:
              - predicate_type: https://slsa.dev/provenance/v1
                signed_by: { key: release }
                source: { commit: ${commit} }
`;
    const caseOf = (status: string) =>
      `  - name: ${status}\n    expect: compliant\n    flows:\n      - name: web\n        commit: ${commit}\n        attestations:${evidence(status)}`;
    const run = () => cli.run(['policy', 'test', '-f', 'said.yml', '--fixtures', 'said-cases.yml']);

    writeFileSync(join(cli.cwd, 'said-cases.yml'), `cases:\n${caseOf('fixed')}`);
    expect(await run()).toEqual({ code: 0, stderr: '', stdout: '✓ 1 of 1 cases passed\n' });

    writeFileSync(join(cli.cwd, 'said-cases.yml'), `cases:\n${caseOf('fixed')}${caseOf('affected')}`);
    const failed = await run();
    expect(failed.code).toBe(3);
    expect(failed.stdout).toContain('affected: expected compliant, got non-compliant');
    expect(failed.stdout).toContain("'scan' has 1 critical finding, and none is allowed: CVE-1 in tar@6.0.0");
    expect(failed.stdout).toContain('✕ 1 of 2 cases failed');

    writeFileSync(join(cli.cwd, 'said-cases.yml'), `cases:\n${caseOf('exploitable')}`);
    const mistaken = await run();
    expect(mistaken.code).toBe(2);
    expect(mistaken.stdout).toMatch(
      /^said-cases\.yml:9:87: cases\.0\.flows\.0\.attestations\.1\.vex\.0\.status: "status" must be /m,
    );
  });

  it('ends with 2 when a file has a mistake or a flag does not fit', async () => {
    writeFileSync(join(cli.cwd, 'mistake.yml'), 'cases:\n  - { name: it, expect: green }\n');
    const mistaken = await test('mistake.yml');
    expect(mistaken.code).toBe(2);
    expect(mistaken.stdout).toContain('mistake.yml:2:');
    const bad = await cli.run(['policy', 'test', '-f', 'bad.yml', '--fixtures', 'mistake.yml']);
    expect(bad.code).toBe(2);
    expect(bad.stdout).toContain('bad.yml:3:15');
    expect((await cli.run(['policy', 'test', '--fixtures', 'cases.yml'])).code).toBe(2);
    expect((await test('cases.yml', '--alone')).code).toBe(2);
    expect((await cli.run(['policy', 'test', '-f', '-', '--fixtures', '-'])).code).toBe(2);
    expect((await test('nope.yml')).code).toBe(2);
  });
});

it('reads a text from standard input', async () => {
  const { code, stdout } = await cli.run(['policy', 'lint', '-'], { stdin: 'artifacts: 1\n' });

  expect(code).toBe(2);
  expect(stdout).toContain('-:1:');
});

it('refuses to lint a missing, empty or unreadable file', async () => {
  expect((await cli.run(['policy', 'lint', '-f', 'nope.yml'])).code).toBe(2);
  expect((await cli.run(['policy', 'lint', '-f', ''])).code).toBe(2);
  expect((await cli.run(['policy', 'lint'])).stderr).toContain('FILE is missing');
  expect((await cli.run(['policy', 'lint', 'good.yml', '-f', 'bad.yml'])).code).toBe(2);
  expect((await stranger.run(['policy', 'lint', '-f', 'good.yml'], { cwd: cli.cwd })).code).toBe(4);
});

it('shows how a file differs from the newest version', async () => {
  const { code, stdout } = await cli.run(['policy', 'diff', 'prod-release', '-f', 'tests.yml']);

  expect(code).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "--- prod-release version 1
    +++ tests.yml
    @@ -1,3 +1,4 @@
     _schema: https://compliance.example.com/schemas/policy/v1
     artifacts:
    -  provenance: { required: true }
    +  attestations:
    +    - { name: unit-tests, type: generic }
    "
  `);
});

it('ends with 6 when they differ, on request', async () => {
  expect((await cli.run(['policy', 'diff', 'prod-release', '-f', 'tests.yml', '--exit-code'])).code).toBe(6);
  expect(await cli.run(['policy', 'diff', 'prod-release', '-f', 'good.yml', '--exit-code'])).toEqual({
    code: 0,
    stdout: '',
    stderr: "good.yml is identical to version 1 of policy 'prod-release'\n",
  });
  expect((await cli.run(['policy', 'diff', 'nope', '-f', 'good.yml'])).code).toBe(5);
  expect((await cli.run(['policy', 'diff', '', '-f', 'good.yml'])).code).toBe(2);
  expect((await stranger.run(['policy', 'diff', 'prod-release', '-f', 'good.yml'], { cwd: cli.cwd })).code).toBe(4);
});

it('prints the text of a version', async () => {
  expect((await cli.run(['policy', 'get', 'tests', '--text'])).stdout).toBe(REQUIRES_TESTS);
  expect((await cli.run(['policy', 'get', 'tests', '--of-version', '7'])).code).toBe(5);
});

it('shows which verdicts would change under another policy, and fails only on request', async () => {
  const line = ['policy', 'test', '-f', 'tests.yml', '--env', 'prod', '--since', '1d'];

  const { code, stdout } = await cli.run(line);

  expect(code).toBe(0);
  expect(stdout).toMatch(/✓ compliant +✕ NON-COMPLIANT +app +prod#1/);
  expect(stdout).toContain('✕ 1 of 2 verdicts would have changed, 1 of them to non-compliant');
  expect((await cli.run([...line, '--fail-on-red'])).code).toBe(3);
});

it('tries a file in place of a policy in force', async () => {
  const line = ['policy', 'test', 'prod-release', '-f', 'good.yml', '--against', 'prod', '--fail-on-red'];

  expect(await cli.run(line)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/None of \d+ verdicts would have changed/),
  });
});

it('reports mistakes in a tried policy', async () => {
  const { code, stderr } = await cli.run(['policy', 'test', '-f', 'bad.yml', '--against', 'prod']);

  expect(code).toBe(2);
  expect(stderr).toContain('line 3, column 15');
});

it('shows --env in the help of a back-test, and not its old name', async () => {
  const { stdout } = await cli.run(['policy', 'test', '--help']);

  expect(stdout).toContain('--env <name>');
  expect(stdout).not.toContain('--against');
});
