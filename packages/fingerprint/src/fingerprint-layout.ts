import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type ImageIdentity, identify, platformName } from './image-identity.ts';
import {
  type Descriptor,
  MANIFEST_MAX_BYTES,
  type Manifest,
  parseEntries,
  parseManifest,
  parseObject,
} from './manifest.ts';

const NAMES = ['org.opencontainers.image.ref.name', 'io.containerd.image.name'];

/**
 * Of an image in a directory that is an OCI image layout, as build tools write it. `tag` is the name that the layout
 * gives to the image, or its digest with `sha256:`; it may be left out where there is only one.
 */
export async function fingerprintLayout(path: string, tag?: string): Promise<ImageIdentity> {
  await checkMarker(path);
  const index = join(path, 'index.json');
  const refuse = (why: string) => new Error(`${index} ${why}`);
  const entries = parseEntries(parseObject(await bytesOf(index), refuse), refuse);
  const { digest, mediaType } = chosen(entries, tag, index);
  const manifest = await readBlob(path, digest, mediaType);
  if (!manifest) throw new Error(`${index} names sha256:${digest}, which is not among the blobs`);
  return identify(digest, manifest, async (entry) => readBlob(path, entry.digest, entry.mediaType));
}

async function checkMarker(path: string): Promise<void> {
  if (!(await stat(path)).isDirectory()) throw new Error(`${path} is not a directory; unpack the archive first`);
  const marker = join(path, 'oci-layout');
  const bytes = await bytesOf(marker, `${path} is not an OCI image layout: it has no file oci-layout`);
  const version = parseObject(bytes, (why) => new Error(`${marker} ${why}`))['imageLayoutVersion'];
  if (typeof version !== 'string' || !version.startsWith('1.')) {
    throw new Error(`${marker} has an imageLayoutVersion other than 1: ${JSON.stringify(version)}`);
  }
}

function chosen(entries: readonly Descriptor[], tag: string | undefined, index: string): Descriptor {
  const found = tag === undefined ? entries : entries.filter((entry) => namesOf(entry).includes(tag));
  const [first, ...others] = found;
  if (first && others.every(({ digest }) => digest === first.digest)) return first;
  if (entries.length === 0) throw new Error(`${index} names no image`);
  if (!first) throw new Error(`${index} names no image ${JSON.stringify(tag)}, but ${listed(entries)}`);
  const what = tag === undefined ? 'several images; say which' : `several images ${JSON.stringify(tag)}`;
  throw new Error(`${index} names ${what}: ${listed(found)}`);
}

function namesOf({ annotations, digest }: Descriptor): unknown[] {
  return [...NAMES.map((name) => annotations[name]), `sha256:${digest}`];
}

function listed(entries: readonly Descriptor[]): string {
  return entries
    .map((entry) => {
      const name = namesOf(entry).find((value) => typeof value === 'string');
      const of = entry.platform ? ` (${platformName(entry)})` : '';
      return name === `sha256:${entry.digest}` ? name + of : `${JSON.stringify(name)} sha256:${entry.digest}${of}`;
    })
    .join(', ');
}

/** Undefined if the layout does not contain it: often only one platform of an image is present. */
async function readBlob(path: string, digest: string, mediaType: string | null): Promise<Manifest | undefined> {
  const place = join(path, 'blobs', 'sha256', digest);
  const bytes = await bytesOf(place).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (bytes === undefined) return undefined;
  const actual = hash('sha256', bytes);
  if (actual !== digest) throw new Error(`${place} was changed: its digest is sha256:${actual}`);
  return parseManifest(bytes, mediaType, (why) => new Error(`${place} ${why}`));
}

async function bytesOf(path: string, missing?: string): Promise<Uint8Array> {
  try {
    // Opening a pipe may block forever.
    if (!(await stat(path)).isFile()) throw new Error(`${path} is not a file`);
    const bytes = await readUpTo(path, MANIFEST_MAX_BYTES + 1);
    if (bytes.length > MANIFEST_MAX_BYTES) throw new Error(`${path} is longer than ${MANIFEST_MAX_BYTES} bytes`);
    return bytes;
  } catch (cause) {
    if (missing !== undefined && (cause as NodeJS.ErrnoException).code === 'ENOENT')
      throw new Error(missing, { cause });
    throw cause;
  }
}

async function readUpTo(path: string, size: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(path, { end: size - 1 })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
