import { gunzipSync } from 'node:zlib';
import type { EvidenceFile } from './evidence-file.ts';
import { filesInTar } from './tar.ts';
import { Unreadable } from './unreadable.ts';

export const UNPACKED_MAX_BYTES = 50 * 1024 * 1024;

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** The regular files of a gzipped tar, each named with the archive in front. */
export function unpackTgz(archive: EvidenceFile): EvidenceFile[] {
  return filesInTar(archive.name, gunzip(archive)).map(({ path, bytes }) => ({
    name: `${archive.name}: ${path}`,
    bytes,
  }));
}

function gunzip({ name, bytes }: EvidenceFile): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: UNPACKED_MAX_BYTES });
  } catch (error) {
    if (isErrorWithCode(error, 'ERR_BUFFER_TOO_LARGE')) {
      throw new Unreadable(`${name}: unpacks to more than 50 MiB.`, { cause: error });
    }
    throw new Unreadable(`${name}: is damaged or cut short, so that gzip cannot unpack it.`, { cause: error });
  }
}

function isErrorWithCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
