import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { validatePolicy } from '@waymark/contract';
import { beforeAll, expect, it } from 'vitest';
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
