import { hash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { openLayout } from './oci-layout.ts';

const CONFIG = { entrypoint: ['/bin/program'], command: ['run'], env: [], labels: {}, port: 8080 };

function givenRoot(changedAt: number, content = 'content'): string {
  const root = mkdtempSync(join(tmpdir(), 'layer-'));
  chmodSync(root, 0o755);
  mkdirSync(join(root, 'bin'));
  for (const name of content === 'content' ? ['b', 'a', 'program'] : ['program', 'a', 'b']) {
    writeFileSync(join(root, 'bin', name), content);
    utimesSync(join(root, 'bin', name), changedAt, changedAt);
  }
  chmodSync(join(root, 'bin/program'), 0o755);
  return root;
}

function build(root: string) {
  const folder = mkdtempSync(join(tmpdir(), 'layout-'));
  const layout = openLayout(folder, 1_700_000_000);
  const layer = layout.addLayer(root);
  return { folder, layer, digest: layout.name('program', [layout.addImage('amd64', [layer], CONFIG)]) };
}

it('gives the same bytes for the same files, whenever they were written', () => {
  const one = build(givenRoot(1_000));
  expect(build(givenRoot(2_000)).digest).toBe(one.digest);
  expect(build(givenRoot(1_000, 'other content')).digest).not.toBe(one.digest);
});

it('names every blob by its digest, and every layer by its content as well', () => {
  const { folder, layer, digest } = build(givenRoot(1_000));
  const names = readdirSync(join(folder, 'blobs/sha256'));
  expect(names).toHaveLength(4);
  for (const name of names) expect(hash('sha256', blob(folder, name))).toBe(name);
  expect(`sha256:${hash('sha256', gunzipSync(blob(folder, layer.digest.slice(7))))}`).toBe(layer.diffId);

  const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'));
  expect(index.manifests).toMatchObject([{ digest, annotations: { 'org.opencontainers.image.ref.name': 'program' } }]);
  const [platform] = JSON.parse(blob(folder, digest.slice(7)).toString()).manifests;
  expect(platform.platform).toEqual({ architecture: 'amd64', os: 'linux' });
  const manifest = JSON.parse(blob(folder, platform.digest.slice(7)).toString());
  expect(JSON.parse(blob(folder, manifest.config.digest.slice(7)).toString())).toMatchObject({
    created: '2023-11-14T22:13:20.000Z',
    config: { User: '65532:65532', Entrypoint: ['/bin/program'], ExposedPorts: { '8080/tcp': {} } },
    rootfs: { diff_ids: [layer.diffId] },
  });
});

function blob(folder: string, sha256: string): Buffer {
  return readFileSync(join(folder, 'blobs/sha256', sha256));
}
