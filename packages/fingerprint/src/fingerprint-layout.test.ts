import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { fingerprintLayout } from './fingerprint-layout.ts';
import { type Blob, blob, descriptor, givenImage, givenIndex, OCI, writeLayout } from './given-image.ts';
import { givenTree, removeTrees } from './given-tree.ts';

afterEach(removeTrees);

const REF = 'org.opencontainers.image.ref.name';
const image = givenIndex();
const { index, arm64, amd64 } = image;
const manifests = [index, arm64.manifest, amd64.manifest];

function layout(blobs: readonly Blob[], entries: readonly object[]): string {
  const root = givenTree({});
  writeLayout(root, blobs, entries);
  return root;
}

function named(what: Blob, name: string): object {
  return { ...descriptor(what), annotations: { [REF]: name } };
}

describe('an OCI image layout', () => {
  it('with one image needs no tag', async () => {
    expect(await fingerprintLayout(layout(manifests, [descriptor(index)]))).toEqual({
      digest: index.digest,
      kind: 'index',
      mediaType: OCI.index,
      configDigest: null,
      platforms: [
        { platform: 'linux/arm64/v8', digest: arm64.manifest.digest, configDigest: arm64.config.digest },
        { platform: 'linux/amd64', digest: amd64.manifest.digest, configDigest: amd64.config.digest },
      ],
    });
  });

  it('with several is selected by the name that it gives, or by digest', async () => {
    const containerd = {
      ...descriptor(amd64.manifest),
      annotations: { [REF]: '2', 'io.containerd.image.name': 'docker.io/acme/web:2' },
    };
    const root = layout(manifests, [named(index, '1'), containerd]);

    expect((await fingerprintLayout(root, '1')).digest).toBe(index.digest);
    expect(await fingerprintLayout(root, '2')).toEqual({
      digest: amd64.manifest.digest,
      kind: 'manifest',
      mediaType: OCI.manifest,
      configDigest: amd64.config.digest,
      platforms: [],
    });
    expect((await fingerprintLayout(root, 'docker.io/acme/web:2')).digest).toBe(amd64.manifest.digest);
    expect((await fingerprintLayout(root, `sha256:${index.digest}`)).digest).toBe(index.digest);
    await expect(fingerprintLayout(root)).rejects.toThrow(
      `${root}/index.json names several images; say which: "1" sha256:${index.digest}, "2" sha256:${amd64.manifest.digest}`,
    );
    await expect(fingerprintLayout(root, '3')).rejects.toThrow(
      `${root}/index.json names no image "3", but "1" sha256:`,
    );
  });

  it('may name one image twice, but not two images alike', async () => {
    const twice = layout(manifests, [named(index, '1'), named(index, 'latest')]);
    const alike = layout(manifests, [named(arm64.manifest, '1'), named(amd64.manifest, '1')]);

    expect((await fingerprintLayout(twice)).digest).toBe(index.digest);
    await expect(fingerprintLayout(alike, '1')).rejects.toThrow(`${alike}/index.json names several images "1": `);
  });

  it('may hold only some of the platforms', async () => {
    const { platforms } = await fingerprintLayout(layout([index, amd64.manifest], [descriptor(index)]));

    expect(platforms.map(({ configDigest }) => configDigest)).toEqual([null, amd64.config.digest]);
  });

  it('keeps versions of Windows and indexes in the index apart', async () => {
    const windows = (version: string) => ({ os: 'windows', architecture: 'amd64', 'os.version': version });
    const outer = blob(
      {
        schemaVersion: 2,
        manifests: [
          { ...descriptor(arm64.manifest), platform: windows('10.0.17763') },
          { ...descriptor(amd64.manifest), platform: windows('10.0.20348\u001b') },
          descriptor(index),
          { ...descriptor(blob('signature', 'text/plain')) },
        ],
      },
      OCI.index,
    );
    const { platforms } = await fingerprintLayout(layout([...manifests, outer], [descriptor(outer)]));

    expect(platforms).toEqual([
      { platform: 'windows(10.0.17763)/amd64', digest: arm64.manifest.digest, configDigest: arm64.config.digest },
      { platform: 'windows(10.0.20348?)/amd64', digest: amd64.manifest.digest, configDigest: amd64.config.digest },
      { platform: 'unknown', digest: index.digest, configDigest: null },
    ]);
  });
});

describe('refuses', () => {
  it('a directory that is not a layout', async () => {
    const root = givenTree({ 'a.tar': '', 'empty/x': '', 'old/oci-layout': '{"imageLayoutVersion":"2.0.0"}' });

    await expect(fingerprintLayout(join(root, 'a.tar'))).rejects.toThrow(
      'is not a directory; unpack the archive first',
    );
    await expect(fingerprintLayout(join(root, 'empty'))).rejects.toThrow('is not an OCI image layout: it has no file');
    await expect(fingerprintLayout(join(root, 'old'))).rejects.toThrow('an imageLayoutVersion other than 1: "2.0.0"');
    await expect(fingerprintLayout(join(root, 'nobody'))).rejects.toThrow('nobody');
  });

  it('blobs that are missing, changed or too long', async () => {
    const root = layout(manifests, [descriptor(index)]);
    const place = (what: Blob) => join(root, 'blobs', 'sha256', what.digest);
    writeFileSync(place(amd64.manifest), givenImage('mips').manifest.bytes);
    await expect(fingerprintLayout(root)).rejects.toThrow(
      `${place(amd64.manifest)} was changed: its digest is sha256:`,
    );
    truncateSync(place(index), 4 * 1024 ** 2 + 1);
    await expect(fingerprintLayout(root)).rejects.toThrow(`${place(index)} is longer than 4194304 bytes`);
    rmSync(place(index));
    await expect(fingerprintLayout(root)).rejects.toThrow(`names sha256:${index.digest}, which is not among the blobs`);
  });

  it.each([
    ['nothing', [], 'names no image'],
    ['a path', [{ digest: 'sha256:../../../../etc/passwd' }], 'has in manifests[0] a digest that is not "sha256:"'],
    ['text', ['latest'], 'has in manifests[0] something that is not an object'],
    ['more than can be meant', Array.from({ length: 257 }, () => ({})), 'lists more than 256 manifests'],
  ])('an index that names %s', async (_, entries, why) => {
    await expect(fingerprintLayout(layout([], entries as object[]))).rejects.toThrow(why);
  });
});
