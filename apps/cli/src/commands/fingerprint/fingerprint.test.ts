import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprintDirectory, fingerprintFile } from '@waymark/fingerprint';
import { afterAll, describe, expect, it } from 'vitest';
import { descriptor, givenIndex, writeLayout } from '../../../../../packages/fingerprint/src/given-image.ts';
import { closeServers, givenServer, sendManifest } from '../../../../../packages/fingerprint/src/given-server.ts';
import { givenCli } from '../../../test/given-cli.ts';

afterAll(closeServers);

const cli = givenCli();
const at = (...names: string[]) => join(cli.cwd, ...names);
writeFileSync(at('app.bin'), 'the program');
mkdirSync(at('site', 'logs'), { recursive: true });
writeFileSync(at('site', 'index.html'), 'hello');
writeFileSync(at('site', 'logs', 'today'), 'noise');

const image = givenIndex();
const { index, arm64, amd64 } = image;

async function givenImageServer() {
  const blobs = [index, arm64.manifest, amd64.manifest, image.provenance.manifest];
  return givenServer((request, response) => {
    const reference = (request.url ?? '').split('/').at(-1) ?? '';
    const found = reference === '1' ? index : blobs.find(({ digest }) => reference === `sha256:${digest}`);
    if (found) sendManifest(response, found);
    else response.writeHead(404).end('{"errors":[{"code":"MANIFEST_UNKNOWN"}]}');
  });
}

const fingerprint = (...line: string[]) => cli.run(['fingerprint', ...line]);

describe('standard output', () => {
  it('holds the digest and nothing else', async () => {
    const digest = await fingerprintFile(at('app.bin'));
    for (const flags of [[], ['--debug'], ['--debug=api'], ['-v'], ['--color', 'always'], ['--quiet']]) {
      const { code, stdout } = await fingerprint('app.bin', ...flags);
      expect([code, stdout]).toEqual([0, `${digest}\n`]);
    }
  });

  it('holds one digest per line for several, and JSON on request', async () => {
    const digest = await fingerprintFile(at('app.bin'));
    const site = await fingerprintDirectory(at('site'));
    expect((await fingerprint('app.bin', 'site')).stdout).toBe(`${digest}\n${site}\n`);
    expect(JSON.parse((await fingerprint('app.bin', '--json')).stdout)).toEqual([
      { reference: 'app.bin', kind: 'file', fingerprint: digest, platforms: [] },
    ]);
  });
});

it('leaves out excluded files', async () => {
  const { stdout } = await fingerprint('site', '--exclude', 'logs');
  expect(stdout.trim()).toBe(await fingerprintDirectory(at('site'), { exclude: ['logs'] }));
  expect(stdout.trim()).not.toBe(await fingerprintDirectory(at('site')));
});

it('respects the type', async () => {
  expect(await fingerprint('site', '--type', 'dir')).toMatchObject({ code: 0 });
  expect(await fingerprint('site', '--type', 'file')).toMatchObject({ code: 2, stdout: '' });
  expect(await fingerprint('app.bin', '--type', 'dir')).toMatchObject({ code: 2, stdout: '' });
  expect(await fingerprint('app.bin', '--type', 'zip')).toMatchObject({ code: 2, stdout: '' });
  const name = 'a'.repeat(64);
  writeFileSync(at(name), 'a blob that is called like a digest');
  expect((await fingerprint(name, '--type', 'file')).stdout.trim()).toBe(await fingerprintFile(at(name)));
});

it('of an image is that of the index, and --platforms lists the others', async () => {
  const { host } = await givenImageServer();
  const whole = await fingerprint(`oci://${host}/acme/web:1`);
  expect(whole).toMatchObject({ code: 0, stdout: `${index.digest}\n` });
  expect(await fingerprint(`${host}/acme/web:1`, '--type', 'oci')).toMatchObject({ stdout: `${index.digest}\n` });
  const platforms = `${arm64.manifest.digest}  linux/arm64/v8\n${amd64.manifest.digest}  linux/amd64\n`;
  expect((await fingerprint(`oci://${host}/acme/web:1`, '--platforms')).stdout).toBe(platforms);
  const layout = at('layout');
  mkdirSync(layout);
  writeLayout(layout, [index, arm64.manifest, amd64.manifest], [descriptor(index)]);
  expect((await fingerprint('oci-layout:layout', '--platforms')).stdout).toBe(platforms);
  expect(await fingerprint('app.bin', '--platforms')).toMatchObject({ code: 2, stdout: '' });
});

it('reports errors with their exit code', async () => {
  const { host } = await givenImageServer();
  const lacking = await givenServer((_, response) => response.writeHead(401).end());
  const broken = await givenServer((_, response) => response.writeHead(503).end());
  expect(await fingerprint('gone.bin')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('gone.bin'),
  });
  expect(await fingerprint('')).toMatchObject({ code: 2, stdout: '' });
  expect(await fingerprint()).toMatchObject({ code: 2, stdout: '' });
  expect(await fingerprint(`oci://${host}/acme/web:none`)).toMatchObject({ code: 5, stdout: '' });
  expect(await fingerprint(`oci://${lacking.host}/acme/web:1`)).toMatchObject({ code: 4, stdout: '' });
  expect(await fingerprint(`oci://${broken.host}/acme/web:1`)).toMatchObject({ code: 7, stdout: '' });
  expect(await fingerprint('oci://127.0.0.1:9/acme/web:1')).toMatchObject({ code: 7, stdout: '' });
});
