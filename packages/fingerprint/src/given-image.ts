import { hash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes that a registry or a layout keeps under their digest. */
export interface Blob {
  readonly bytes: Buffer;
  readonly digest: string;
  readonly mediaType: string;
}

export interface GivenImage {
  readonly manifest: Blob;
  /** What the manifest is about: config and layer. */
  readonly config: Blob;
  readonly layer: Blob;
}

export interface GivenIndex {
  readonly index: Blob;
  readonly arm64: GivenImage;
  readonly amd64: GivenImage;
  readonly provenance: GivenImage;
}

interface Types {
  readonly index: string;
  readonly manifest: string;
}

export const OCI: Types = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
};
export const DOCKER: Types = {
  index: 'application/vnd.docker.distribution.manifest.list.v2+json',
  manifest: 'application/vnd.docker.distribution.manifest.v2+json',
};

export function givenImage(architecture: string, types = OCI): GivenImage {
  const isOci = types === OCI;
  const config = blob(
    { architecture, os: 'linux', config: {}, rootfs: { type: 'layers', diff_ids: [] } },
    isOci ? 'application/vnd.oci.image.config.v1+json' : 'application/vnd.docker.container.image.v1+json',
  );
  const layer = blob(
    `layer for ${architecture}`,
    isOci ? 'application/vnd.oci.image.layer.v1.tar' : 'application/vnd.docker.image.rootfs.diff.tar.gzip',
  );
  const parts = { config: descriptor(config), layers: [descriptor(layer)] };
  const manifest = blob({ schemaVersion: 2, mediaType: types.manifest, ...parts }, types.manifest);
  return { manifest, config, layer };
}

/** An index with two platforms and, as build tools add it, the provenance of one of them. */
export function givenIndex(types = OCI): GivenIndex {
  const [arm64, amd64, provenance] = ['arm64', 'amd64', 'unknown'].map((name) => givenImage(name, types));
  if (!arm64 || !amd64 || !provenance) throw new Error('There are three images');
  const index = blob(
    {
      schemaVersion: 2,
      mediaType: types.index,
      manifests: [
        { ...descriptor(arm64.manifest), platform: { os: 'linux', architecture: 'arm64', variant: 'v8' } },
        { ...descriptor(amd64.manifest), platform: { os: 'linux', architecture: 'amd64' } },
        {
          ...descriptor(provenance.manifest),
          platform: { os: 'unknown', architecture: 'unknown' },
          annotations: { 'vnd.docker.reference.type': 'attestation-manifest' },
        },
      ],
    },
    types.index,
  );
  return { index, arm64, amd64, provenance };
}

export function blob(content: object | string, mediaType: string): Blob {
  const bytes = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
  return { bytes, digest: hash('sha256', bytes), mediaType };
}

export function descriptor({ bytes, digest, mediaType }: Blob) {
  return { mediaType, digest: `sha256:${digest}`, size: bytes.length };
}

/** Writes an OCI image layout with the blobs, and an index of the entries, into the directory. */
export function writeLayout(directory: string, blobs: readonly Blob[], entries: readonly object[]): void {
  mkdirSync(join(directory, 'blobs', 'sha256'), { recursive: true });
  writeFileSync(join(directory, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  writeFileSync(join(directory, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: entries }));
  for (const { digest, bytes } of blobs) writeFileSync(join(directory, 'blobs', 'sha256', digest), bytes);
}
