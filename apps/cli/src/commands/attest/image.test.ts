import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getArtifact } from '@waymark/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  descriptor,
  givenImage,
  givenIndex,
  writeLayout,
} from '../../../../../packages/fingerprint/src/given-image.ts';
import { givenFlow } from '../../../../server/test/given/evidence.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { GITHUB_BUILD } from '../../../test/given-build.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
const { index, arm64, amd64, provenance } = givenIndex();
const single = givenImage('riscv64');

/** A registry with these manifests only. */
const registry = createServer((request, response) => {
  const name = (request.url ?? '').split('/manifests/')[1] ?? '';
  const all = [index, arm64.manifest, amd64.manifest, provenance.manifest, single.manifest];
  const tags: Record<string, (typeof all)[number]> = { '1.9.1': index, single: single.manifest };
  const found = tags[name] ?? all.find(({ digest }) => name === `sha256:${digest}`);
  if (name === 'private') return response.writeHead(403).end('{}');
  if (name === 'broken') return response.writeHead(500).end('{}');
  if (!found)
    return response
      .writeHead(404, { 'content-type': 'application/json' })
      .end('{"errors":[{"code":"MANIFEST_UNKNOWN"}]}');
  return response.writeHead(200, { 'content-type': found.mediaType }).end(found.bytes);
});
await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
afterAll(() => registry.close());
const place = `127.0.0.1:${(registry.address() as AddressInfo).port}/acme/web`;

beforeAll(() => givenFlow(api, 'shop', 'version: 1\n'));

const run = (...line: string[]) =>
  cli.run(line, { env: { ...GITHUB_BUILD, WAYMARK_FLOW: 'shop', WAYMARK_TRAIL: 't' } });

it('reports the index, records the digest of each platform, and prints them', async () => {
  const { code, stdout, stderr } = await run('attest', 'artifact', `oci://${place}:1.9.1`);
  expect([code, stdout]).toEqual([0, `sha256:${index.digest}  ${place}:1.9.1\n`]);
  expect(stderr).toContain(`  linux/amd64  sha256:${amd64.manifest.digest}`);
  const { body } = await api.call(getArtifact, { params: { flow_name: 'shop', fingerprint: index.digest } });
  expect(body.annotations).toEqual({
    platform_linux_arm64_v8: `sha256:${arm64.manifest.digest}`,
    config_linux_arm64_v8: `sha256:${arm64.config.digest}`,
    platform_linux_amd64: `sha256:${amd64.manifest.digest}`,
    config_linux_amd64: `sha256:${amd64.config.digest}`,
  });
});

it('asks about an image by its name', async () => {
  await run('attest', 'artifact', `oci://${place}:single`);
  const { code, stdout } = await run('assert', 'artifact', `oci://${place}:single`);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`sha256:${single.manifest.digest.slice(0, 12)}`)]);
});

it('takes an image from a layout on disk', async () => {
  writeLayout(join(cli.cwd, 'layout'), [single.manifest, single.config, single.layer], [descriptor(single.manifest)]);
  const { code, stdout } = await run('attest', 'artifact', 'oci-layout:layout');
  expect([code, stdout]).toEqual([0, `sha256:${single.manifest.digest}  layout\n`]);
});

it.each([
  ['missing', 5, 'There is no image'],
  ['private', 4, 'does not let you read'],
  ['broken', 7, 'answered 500'],
])('quotes the error of the registry: %s', async (tag, code, message) => {
  const ran = await run('attest', 'artifact', `oci://${place}:${tag}`);
  expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(message)]);
});

it('ends with 7 when there is no registry', async () => {
  expect((await run('assert', 'artifact', 'oci://127.0.0.1:1/acme/web:1')).code).toBe(7);
});
