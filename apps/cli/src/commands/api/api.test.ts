import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { givenEnvironment } from '../../../../server/test/given/environments.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { givenCli, givenSignedIn } from '../../../test/given-cli.ts';

const api = await startApi();
const cli = await givenSignedIn(api);

it('prints the response unchanged, with the exit code that every command has', async () => {
  const made = await cli.run(['api', 'put', '/flows/{org}', '-f', 'name=shop']);
  expect(made).toEqual({ code: 0, stdout: `"Flow 'shop' created"`, stderr: '' });
  const tagged = await cli.run([
    'api',
    'PATCH',
    '/tags/{org}/flow/shop',
    '-f',
    'set_tags.team=web',
    '-f',
    'remove_tags:=[]',
  ]);
  expect(tagged).toMatchObject({ code: 0, stderr: '' });
  const got = await cli.run(['api', 'GET', '/api/v2/flows/{org}/{flow}', '--flow', 'shop']);
  expect(JSON.parse(got.stdout)).toMatchObject({ name: 'shop', tags: { team: 'web' } });

  const missing = await cli.run(['api', 'GET', 'flows/{org}/nothing', '-i']);
  expect(missing).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("! Flow 'nothing' does not exist in this org (404)"),
  });
  expect(missing.stdout).toMatch(/^HTTP 404\n(.+\n)*content-type: application\/json.*\n(.+\n)*\n\{"message":/);
  const anonymous = await cli.run(['api', 'GET', '/flows/{org}'], { env: { WAYMARK_TOKEN: 'nonsense' } });
  expect(anonymous).toMatchObject({ code: 4 });
});

it('takes a body from a file, from standard input and from fields, and a query from the fields of a GET', async () => {
  await writeFile(join(cli.cwd, 'flow.json'), '{"name":"from-file"}');
  expect((await cli.run(['api', 'PUT', '/flows/{org}', '--body', 'flow.json'])).stdout).toContain('from-file');
  const piped = await cli.run(['api', 'PUT', '/flows/{org}', '--body', '-'], { stdin: '{"name":"from-pipe"}' });
  expect(piped.stdout).toContain('from-pipe');
  const found = await cli.run(['api', 'GET', '/flows/{org}', '-f', 'search_by_name=pipe', '--jq', '.[].name']);
  expect(found).toEqual({ code: 0, stdout: 'from-pipe\n', stderr: '' });
  const both = await cli.run(['api', 'PUT', '/flows/{org}', '--body', '-', '-f', 'name=x']);
  expect(both).toMatchObject({ code: 2, stdout: '' });
});

it('records nothing in a dry run', async () => {
  const dry = await cli.run(['api', 'PUT', '/flows/{org}', '-f', 'name=never', '--dry-run', '-i']);
  expect(dry.stdout).toContain('waymark-dry-run: true');
  expect(await cli.run(['api', 'GET', '/flows/{org}/never'])).toMatchObject({ code: 5 });
});

it('asks for all pages', async () => {
  for (let at = 1; at <= 5; at++) await givenEnvironment(api, `env-${at}`);
  const line = ['api', 'GET', '/environments/{org}?per_page=2', '--paginate'];

  const names = await cli.run([...line, '--jq', '.[].name']);
  expect(names.stdout).toBe('env-1\nenv-2\nenv-3\nenv-4\nenv-5\n');
  const raw = await cli.run(line);
  expect(
    raw.stdout
      .trim()
      .split('\n')
      .map((page) => JSON.parse(page).environments.length),
  ).toEqual([2, 2, 1]);
  expect(await cli.run(['api', 'DELETE', '/environments/{org}', '--paginate'])).toMatchObject({ code: 2 });
});

it('sends the key to the host that is set and nowhere else', async () => {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, answer) => {
    seen.push(request);
    const next = 'https://elsewhere.test/api/v2/things?page=2';
    const isFirst = !request.url?.includes('page=2');
    if (request.url?.endsWith('/moved')) answer.writeHead(302, { location: 'https://elsewhere.test/' }).end();
    else answer.writeHead(200, isFirst ? { link: `<${next}>; rel="next"` } : {}).end('[1]');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const here = givenCli({ WAYMARK_HOST: host, WAYMARK_ORG: 'a/b', WAYMARK_TOKEN: 'wmk_secret' });

  expect((await here.run(['api', 'GET', 'things/{org}', '--paginate', '--jq', 'length'])).stdout).toBe('2\n');
  expect(seen.map(({ url }) => url)).toEqual(['/api/v2/things/a%2Fb', '/api/v2/things/a%2Fb?page=2']);
  expect(seen.every(({ headers }) => headers.authorization === 'Bearer wmk_secret')).toBe(true);
  const moved = await here.run(['api', 'GET', '/moved']);
  expect(moved).toMatchObject({ code: 7 });
  expect(seen).toHaveLength(3);
  expect(moved.stderr).not.toContain('wmk_secret');
});

it.each([
  [['GET', 'https://elsewhere.test/x'], 'is not a path'],
  [['GET', '//elsewhere.test/x'], 'is not a path'],
  [['GET', '/\\elsewhere.test'], 'is not a path'],
  [['GET', '/flows/../../../admin'], 'is outside of the API'],
  [['GET', '/flows/%2e%2e/%2e%2e/x'], 'is outside of the API'],
  [['GET', '/flows/{secret}'], 'Unknown placeholder {secret} in the path'],
  [['TRACE', '/flows'], "'TRACE' is not an HTTP method"],
  [['GET', '/flows', '-H', 'Authorization: Bearer x'], 'cannot be set'],
  [['GET', '/flows', '-H', 'nonsense'], '--header must be NAME: VALUE'],
  [['PUT', '/flows', '-f', 'nonsense'], '--field must be key=value'],
  [['PUT', '/flows', '-f', 'a:=nonsense'], 'is not JSON'],
  [['PUT', '/flows', '-f', '__proto__.x=1'], 'has an invalid key'],
])('refuses %j', async (line, words) => {
  const ran = await cli.run(['api', ...line]);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(words);
});

it('ends with 7 when the service does not answer', async () => {
  const ran = await cli.run(['api', 'GET', '/flows/{org}', '--host', 'http://127.0.0.1:1']);
  expect(ran).toMatchObject({ code: 7, stdout: '' });
});
