import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { contracts, toOpenApi } from '@waymark/contract';
import { expect, it, onTestFinished } from 'vitest';
import { startApi } from '../../../../server/test/harness.ts';
import { addressOf, givenCli } from '../../../test/given-cli.ts';
import { version } from '../../run/version.ts';

const api = await startApi();
const host = await addressOf(api);

async function serving(document: unknown, headers: Record<string, string> = {}): Promise<string> {
  const server = createServer((_, answer) => answer.writeHead(200, headers).end(JSON.stringify(document))).listen(
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
    stdout: `waymark ${version}\n${host}: waymark-server ${version}, API 2.0\n`,
    stderr: '',
  });
  expect((await givenCli().run(['version'])).stdout).toBe(`waymark ${version}\n`);
});

it('warns when the service is older, newer or something else', async () => {
  const cli = givenCli();
  const at = async (document: unknown) => (await cli.run(['version', '--host', await serving(document)])).stderr;
  const info = (version: string) => ({ info: { title: 'Waymark API', version }, paths: {} });
  expect(await at(info('2.0'))).toMatch(
    /^! The service is older than this program: it does not support \w+, .* more\. Update/,
  );
  expect(await at(info('3.1'))).toContain('uses version 3.1 of the API, but this program uses version 2');
  expect(await at({ info: { title: 'Petstore', version: '1' } })).toContain('is not Waymark');
});

it('warns when the release of the service is of another line', async () => {
  const cli = givenCli();
  const document = toOpenApi(contracts, { version: '2.0', serverUrl: 'https://waymark.example.com/api/v2' });
  const warnedOf = async (release: string) => {
    const at = await serving(document, { 'waymark-version': release });
    return (await cli.run(['version', '--host', at])).stderr !== '';
  };
  const [major, minor] = version.split('.').map(Number);
  expect(major).toBe(0);
  const releases = [version, `0.${minor}.9`, `0.${Number(minor) + 1}.0`, `1.${minor}.0`];
  expect(await Promise.all(releases.map(warnedOf))).toEqual([false, false, true, true]);
  const other = await cli.run(['version', '--json', '--host', await serving(document, { 'waymark-version': '7.1.0' })]);
  expect(other.stderr).toBe(
    `! The service has version 7.1.0, but this program has version ${version}. Update the older of the two\n`,
  );
  expect(JSON.parse(other.stdout)).toMatchObject({ client: version, server: '7.1.0', missing: [] });
});

it('does not fail when the service is unavailable', async () => {
  const ran = await givenCli().run(['version', '--json', '--host', 'http://127.0.0.1:1']);
  expect(ran).toMatchObject({ code: 0, stderr: '! http://127.0.0.1:1 cannot be reached\n' });
  expect(JSON.parse(ran.stdout)).toMatchObject({ client: version, api: null });
});
