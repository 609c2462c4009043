import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { givenCli } from '../../test/given-cli.ts';

const MESSAGE = 'no ##vso[task.setvariable variable=X]y ##[error]z\n::stop-commands::q\u001b[2J';
let asked = 0;
const server = createServer((request, response) => {
  asked += 1;
  request.resume();
  response
    .writeHead(403, { 'content-type': 'application/json' })
    .end(JSON.stringify({ message: MESSAGE, errors: null }));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(() => server.close());
const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const place = { WAYMARK_ORG: 'acme', WAYMARK_TOKEN: 'wmk_x', WAYMARK_FLOW: 'f', WAYMARK_TRAIL: 't' };
const cli = givenCli({ WAYMARK_HOST: host, ...place });
const attest = ['attest', 'generic', '--name', 'x', '--compliant'];

it.each([
  ['help in the place of a value', [...attest, '--description', '-h']],
  ['a flag in the place of a value', [...attest, '--reason', '--dry-run']],
  ['a flag with a value in the place of a value', [...attest, '--reason', '--strict=true']],
  ['help beside other things', [...attest, '--help']],
  ['help as an argument beside other things', ['begin', 'trail', '-h', '--flow', 'f']],
])('%s is not done, and does not look as if it were', async (_, line) => {
  const before = asked;

  expect(await cli.run(line)).toMatchObject({ code: 2 });
  expect(asked).toBe(before);
});

it('a value that looks like a flag is accepted with an equals sign', async () => {
  expect(await cli.run([...attest, '--reason=--dry-run'])).toMatchObject({ code: 4 });
});

it('text of the service is never a command for a CI system or a terminal', async () => {
  const { stderr } = await cli.run(['flow', 'list'], { env: { TF_BUILD: 'True', GITHUB_ACTIONS: 'true' } });

  expect(stderr).toContain('stop-commands');
  expect(stderr).not.toMatch(/##(vso|teamcity)?\[|^\s*::/m);
  expect(stderr).not.toContain('\u001b');
});

function givenProject(text: string): string {
  const project = join(cli.cwd, 'project');
  rmSync(project, { recursive: true, force: true });
  mkdirSync(join(project, '.git'), { recursive: true });
  writeFileSync(join(project, '.waymark.yml'), text);
  return project;
}

it.each([
  ['an alias', 'org: &a acme\nflow: *a\n', 'must not use aliases'],
  ['a wish to lose evidence', 'on_unavailable: ignore\n', 'must be fail or spool'],
  ['a hostile key', '"##vso[x]y": 1\n', 'unknown key'],
])('a project file with %s is refused', async (_, text, why) => {
  const { code, stderr } = await cli.run(['flow', 'list'], { cwd: givenProject(text) });

  expect(code).toBe(2);
  expect(stderr).toContain(why);
  expect(stderr).not.toContain('##vso[');
});

it('a project file that is a pipe or a directory is refused, not read forever', async () => {
  const project = givenProject('');
  const path = join(project, '.waymark.yml');
  for (const make of [() => mkdirSync(path), () => spawnSync('mkfifo', [path])]) {
    rmSync(path, { recursive: true });
    make();
    expect(await cli.run(['flow', 'list'], { cwd: project })).toMatchObject({ code: 2 });
  }
});

it('a project file above the repository does not count', async () => {
  const project = givenProject('');
  rmSync(join(project, '.waymark.yml'));
  writeFileSync(join(cli.cwd, '.waymark.yml'), 'flow: of-somebody-else\n');

  const { stderr } = await cli.run(['begin', 'trail', 'x'], { cwd: project, env: { WAYMARK_FLOW: undefined } });

  rmSync(join(cli.cwd, '.waymark.yml'));
  expect(stderr).toContain('No flow is set');
});

it.each([{ WAYMARK_ID_TOKEN: tokenFor('https://elsewhere/acme') }])(
  'a token for another audience is not sent to the host of a repository',
  async (env) => {
    const before = asked;
    const cwd = givenProject(`host: ${host}\norg: acme\n`);
    const others = { WAYMARK_HOST: undefined, WAYMARK_TOKEN: undefined, GITHUB_ACTIONS: 'true', ...env };

    expect(await cli.run(['flow', 'list', '--auth', 'oidc'], { cwd, env: others })).toMatchObject({ code: 4 });
    expect(asked).toBe(before);
  },
);

function tokenFor(aud: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part({ aud, iss: 'https://ci.example', sub: 'x' })}.c2ln`;
}
