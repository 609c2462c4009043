import { hash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { runProgram } from '../release/run-program.ts';

/** https://github.com/opencontainers/image-spec, as far as it is needed here. */
const TYPE = 'application/vnd.oci.image';

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export interface Layer extends Descriptor {
  /** Of the content before it was compressed. */
  readonly diffId: string;
}

export interface LayerOptions {
  readonly owner?: number;
  /** What to take of the folder; all of it unless given. */
  readonly members?: readonly string[];
}

export interface ImageConfig {
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly env: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly port?: number;
  /** A command that ends with 0 while all is well. Container engines take it, although the standard does not have it. */
  readonly healthcheck?: readonly string[];
}

/** Nobody else has this number on a usual machine. */
export const USER = 65_532;

const SECOND_IN_NS = 1_000_000_000;

function healthcheckOf(command: readonly string[]) {
  return {
    Test: ['CMD', ...command],
    Interval: 10 * SECOND_IN_NS,
    Timeout: 5 * SECOND_IN_NS,
    StartPeriod: 10 * SECOND_IN_NS,
    Retries: 3,
  };
}

/** A folder of blobs and an index, which registries and container engines take as it is. */
export function openLayout(folder: string, epoch: number) {
  mkdirSync(join(folder, 'blobs/sha256'), { recursive: true });
  writeFileSync(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  const created = new Date(epoch * 1000).toISOString();
  const named: (Descriptor & { annotations: object })[] = [];

  function writeBlob(mediaType: string, content: Buffer): Descriptor {
    const sha256 = hash('sha256', content);
    writeFileSync(join(folder, 'blobs/sha256', sha256), content);
    return { mediaType, digest: `sha256:${sha256}`, size: content.length };
  }
  const writeJson = (mediaType: string, value: object) => writeBlob(mediaType, Buffer.from(JSON.stringify(value)));

  return {
    /** The same files give the same bytes: sorted, with one time and one owner. */
    addLayer(root: string, { owner = 0, members = ['.'] }: LayerOptions = {}): Layer {
      const tar = runProgram('tar', [
        '--sort=name',
        `--mtime=@${epoch}`,
        `--owner=${owner}`,
        `--group=${owner}`,
        '--numeric-owner',
        '--format=gnu',
        '-C',
        root,
        '-c',
        ...members,
      ]);
      return {
        ...writeBlob(`${TYPE}.layer.v1.tar+gzip`, gzipSync(tar, { level: 9 })),
        diffId: `sha256:${hash('sha256', tar)}`,
      };
    },
    addImage(arch: string, layers: readonly Layer[], config: ImageConfig): Descriptor & { platform: object } {
      const described = writeJson(`${TYPE}.config.v1+json`, {
        created,
        architecture: arch,
        os: 'linux',
        config: {
          User: `${USER}:${USER}`,
          WorkingDir: '/home/waymark',
          Env: config.env,
          Entrypoint: config.entrypoint,
          Cmd: config.command,
          Labels: config.labels,
          ...(config.healthcheck && { Healthcheck: healthcheckOf(config.healthcheck) }),
          ...(config.port !== undefined && { ExposedPorts: { [`${config.port}/tcp`]: {} } }),
        },
        rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
        history: layers.map(() => ({ created, created_by: 'tools/image' })),
      });
      const manifest = writeJson(`${TYPE}.manifest.v1+json`, {
        schemaVersion: 2,
        mediaType: `${TYPE}.manifest.v1+json`,
        config: described,
        layers: layers.map(({ mediaType, digest, size }) => ({ mediaType, digest, size })),
      });
      return { ...manifest, platform: { architecture: arch, os: 'linux' } };
    },
    /** Names the images of all platforms, and returns their digest. */
    name(name: string, images: readonly (Descriptor & { platform: object })[]): string {
      const type = `${TYPE}.index.v1+json`;
      const index = writeJson(type, { schemaVersion: 2, mediaType: type, manifests: images });
      named.push({ ...index, annotations: { 'org.opencontainers.image.ref.name': name } });
      writeFileSync(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: named }));
      return index.digest;
    },
  };
}
