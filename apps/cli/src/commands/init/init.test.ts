import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { putFlow } from '@waymark/contract';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { startApi } from '../../../../server/test/harness.ts';
import { addressOf, type Cli, givenCli, givenSignedIn } from '../../../test/given-cli.ts';
import { projectFileOf } from '../../run/config-files.ts';
import { pipelineNames, pipelines } from './pipelines.ts';

const api = await startApi();

const projectIn = async ({ cwd }: Cli) => parse(await readFile(join(cwd, '.waymark.yml'), 'utf8'));

it('writes a project file that every command reads, and lists the remaining steps', async () => {
  const cli = await givenSignedIn(api);
  const first = await cli.run(['init', '--flow', 'shop', '--ci', 'github']);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toContain('Wrote .waymark.yml: flow shop in acme');
  expect(first.stdout).toContain('id-token: write');
  expect(first.stdout).toContain('waymark trust add github');
  expect(first.stdout).toContain('Create the flow: waymark flow create shop');
  expect(await projectIn(cli)).toEqual({ version: 1, host: await addressOf(api), org: 'acme', flow: 'shop' });
  expect((await cli.run(['config', '--jq', '.project_file'])).stdout).toContain('.waymark.yml');

  await api.call(putFlow, { body: { name: 'shop' } });
  const again = await cli.run(['init', '--force', '--json']);
  expect(JSON.parse(again.stdout)).toMatchObject({ flow: 'shop', left: [] });
});

it('overwrites nothing without --force, and then keeps unknown keys', async () => {
  const cli = givenCli();
  const text = 'version: 1\nflow: mine\n# of ours\nevidence:\n  - {name: unit, type: junit, path: a.xml}\n';
  await writeFile(join(cli.cwd, '.waymark.yml'), text);

  const refused = await cli.run(['init', '--org', 'acme', '--ci', 'gitlab', '--write']);
  expect(refused).toMatchObject({ code: 6, stdout: '' });
  expect(await readFile(join(cli.cwd, '.waymark.yml'), 'utf8')).toBe(text);
  await expect(readFile(join(cli.cwd, '.gitlab/waymark.yml'))).rejects.toThrow('ENOENT');

  expect(await cli.run(['init', '--org', 'acme', '--force'])).toMatchObject({ code: 0 });
  const after = await readFile(join(cli.cwd, '.waymark.yml'), 'utf8');
  expect(after).toContain('# of ours');
  expect(projectFileOf('x', after)).toMatchObject({
    values: { org: 'acme', flow: 'mine' },
    evidence: [{ name: 'unit' }],
  });
});

it('works without a service, and without an address', async () => {
  const cli = givenCli();
  const ran = await cli.run(['init', '--json']);
  const { left, ci, flow } = JSON.parse(ran.stdout);
  expect({ code: ran.code, ci }).toEqual({ code: 0, ci: null });
  expect(flow).toMatch(/^waymark-cli-/);
  expect(left).toEqual([
    expect.stringContaining('host'),
    expect.stringContaining('org'),
    'Sign in: waymark auth login',
    expect.stringContaining('waymark flow create'),
  ]);
  const away = { WAYMARK_HOST: 'http://127.0.0.1:1', WAYMARK_ORG: 'acme', WAYMARK_TOKEN: 'wmk_x' };
  const unreached = await givenCli(away).run(['init', '--json']);
  expect(JSON.parse(unreached.stdout).left[0]).toContain('waymark doctor');
  expect(unreached.code).toBe(0);
  const nobody = await givenCli({ WAYMARK_HOST: await addressOf(api), WAYMARK_ORG: 'acme' }).run(['init', '--json']);
  expect(JSON.parse(nobody.stdout).left[0]).toBe('Sign in: waymark auth login');
});

it('detects the CI system by the job, by its files, or by a flag', async () => {
  const cli = givenCli();
  const ciOf = async (line: string[] = [], env = {}) =>
    JSON.parse((await cli.run(['init', '--force', '--json', ...line], { env })).stdout).ci;
  expect(await ciOf()).toBeNull();
  await writeFile(join(cli.cwd, 'Jenkinsfile'), '');
  expect(await ciOf()).toBe('jenkins');
  await mkdir(join(cli.cwd, '.github/workflows'), { recursive: true });
  expect(await ciOf()).toBe('github');
  expect(await ciOf([], { GITLAB_CI: 'true', CI: 'true' })).toBe('gitlab');
  expect(await ciOf(['--ci', 'buildkite'])).toBe('buildkite');
});

it.each(pipelineNames)('writes the lines for %s', async (name) => {
  const cli = givenCli({ WAYMARK_HOST: 'http://127.0.0.1:1', WAYMARK_ORG: 'acme', WAYMARK_TOKEN: 'wmk_x' });
  const file = pipelines[name]?.file ?? '';
  const ran = await cli.run(['init', '--flow', 'shop', '--ci', name, '--write']);
  expect(ran.stdout).toContain(`Wrote ${file}`);
  expect(ran.stdout).toContain('waymark sa create ci');
  expect(ran.stdout).toMatch(/^ +waymark (key create|trust add) .* --sa ci .*--scope evidence --flow shop\b/m);
  const text = await readFile(join(cli.cwd, file), 'utf8');
  expect(text).toContain('waymark begin trail');
  expect(text).toMatch(/^ *# waymark attest artifact dist\/app\.tgz --name app$/m);
  expect(text).toMatch(/^ *# waymark assert artifact dist\/app\.tgz --env production --flow shop$/m);
  expect(text).toContain('http://127.0.0.1:1');
  if (file.endsWith('.yml')) expect(() => parse(text)).not.toThrow();
  if (name === 'gitlab') expect(text).toContain('aud: http://127.0.0.1:1/acme');
});

it('limits the key to what the pipeline does', async () => {
  const cli = await givenSignedIn(api);
  const { stdout } = await cli.run(['init', '--flow', 'limited', '--ci', 'jenkins', '--json']);
  const { trust } = JSON.parse(stdout) as { trust: string[] };
  const run = (line: string) => cli.run(line.replace(/^waymark /, '').split(' '));
  await run('waymark flow create limited');
  await run('waymark env create production --type docker');
  const [account = '', create = ''] = trust;
  expect(await run(account)).toMatchObject({ code: 0 });
  const made = await run(create);
  const env = { WAYMARK_HOST: await addressOf(api), WAYMARK_ORG: 'acme', WAYMARK_TOKEN: made.stdout.trim() };
  const job = givenCli({ ...env, WAYMARK_FLOW: 'limited', WAYMARK_TRAIL: 't' });
  await writeFile(join(job.cwd, 'app.tgz'), 'the program');
  await writeFile(join(job.cwd, 'junit.xml'), '<testsuite name="web" tests="1"><testcase name="greets"/></testsuite>');
  const artifact = ['--build-url', 'https://ci.example.com/1', '--commit-url', 'https://git.example.com/1'];
  const lines = [
    ['begin', 'trail'],
    ['attest', 'artifact', 'app.tgz', '--name', 'app', '--commit', 'a'.repeat(40), ...artifact],
    ['attest', 'junit', 'junit.xml', '--name', 'tests'],
    ['assert', 'artifact', 'app.tgz', '--flow', 'limited'],
  ];
  for (const line of lines) expect(await job.run(line), line.join(' ')).toMatchObject({ code: 0 });
  // Nothing is attached to the environment, so nothing judges the artifact there.
  expect(await job.run(['assert', 'artifact', 'app.tgz', '--env', 'production', '--flow', 'limited'])).toMatchObject({
    code: 8,
  });
  expect(await job.run(['flow', 'create', 'limited', '--description', 'x'])).toMatchObject({ code: 4 });
});
