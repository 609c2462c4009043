import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startApi } from '../../../../server/test/harness.ts';
import { addressOf, givenCli } from '../../../test/given-cli.ts';
import { version } from '../../run/version.ts';

const api = await startApi();
const host = await addressOf(api);

async function serving(document: unknown): Promise<string> {
  const server = createServer((_, answer) => answer.writeHead(200).end(JSON.stringify(document))).listen(
    0,
    '127.0.0.1',
  );
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('shows both versions, without a sign-in', async () => {
  const cli = givenCli({ WAYMARK_HOST: host });
  expect(await cli.run(['version'])).toEqual({
    code: 0,
    stdout: `waymark ${version}\n${host}: API 2.0\n`,
    stderr: '',
  });
  expect((await givenCli().run(['version'])).stdout).toBe(`waymark ${version}\n`);
});

it('warns when the service is older, newer or something else', async () => {
  const cli = givenCli();
  const at = async (document: unknown) => (await cli.run(['version', '--host', await serving(document)])).stderr;
  const info = (version: string) => ({ info: { title: 'Waymark API', version }, paths: {} });
  expect(await at(info('2.0'))).toMatch(
    /^! The service is older than this program: it does not know \w+, .* more\. Update/,
  );
  expect(await at(info('3.1'))).toContain('speaks version 3.1 of the API, and this program version 2');
  expect(await at({ info: { title: 'Petstore', version: '1' } })).toContain('is not Waymark');
});

it('does not fail when the service is unavailable', async () => {
  const ran = await givenCli().run(['version', '--json', '--host', 'http://127.0.0.1:1']);
  expect(ran).toMatchObject({ code: 0, stderr: '! http://127.0.0.1:1 cannot be reached\n' });
  expect(JSON.parse(ran.stdout)).toMatchObject({ client: version, api: null });
});
