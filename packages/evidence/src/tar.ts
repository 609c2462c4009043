import { readPax } from './pax.ts';
import { quoted } from './shorten.ts';
import { refuseUnsafePath } from './tar-path.ts';
import { Unreadable } from './unreadable.ts';

export interface TarFile {
  path: string;
  bytes: Uint8Array;
}

interface Header {
  path: string;
  size: number;
  type: string;
}

const BLOCK = 512;
export const MAX_ENTRIES = 2000;
const LATIN1 = new TextDecoder('latin1');
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Reads the regular files of a ustar or pax archive. Directories are skipped, links and devices are refused. */
export function filesInTar(archive: string, tar: Uint8Array): TarFile[] {
  const files: TarFile[] = [];
  let longer: { path?: string; size?: number } = {};
  let entries = 0;
  let offset = 0;
  for (;;) {
    const block = tar.subarray(offset, offset + BLOCK);
    if (block.length < BLOCK) throw new Unreadable(`${archive}: the tar archive is cut short.`);
    if (isZero(block)) break;
    entries += 1;
    if (entries > MAX_ENTRIES) throw new Unreadable(`${archive}: contains more than ${MAX_ENTRIES} entries.`);

    const header = { ...readHeader(archive, block), ...longer };
    const bytes = contentAfter(archive, tar, offset + BLOCK, header);
    offset += BLOCK + Math.ceil(header.size / BLOCK) * BLOCK;

    const extension = readExtension(archive, header, bytes);
    longer = extension ?? {};
    if (!extension && isFile(archive, header)) files.push({ path: header.path, bytes });
  }
  if (!isZero(tar.subarray(offset))) throw new Unreadable(`${archive}: something follows the end of the tar archive.`);
  return files;
}

function readHeader(archive: string, block: Uint8Array): Header {
  if (octal(block, 148, 8) !== checksum(block))
    throw new Unreadable(`${archive}: is not a tar archive, or is damaged.`);
  const size = octal(block, 124, 12);
  if (size === undefined) throw new Unreadable(`${archive}: an entry of the tar archive has no readable size.`);
  // Only ustar has a prefix; other dialects store times there.
  const isUstar = LATIN1.decode(block.subarray(257, 263)) === 'ustar\u0000';
  const prefix = isUstar ? field(archive, block, 345, 155) : '';
  const name = field(archive, block, 0, 100);
  return { path: prefix ? `${prefix}/${name}` : name, size, type: String.fromCharCode(block[156] ?? 0) };
}

/** Returns what an entry says about the next one, or undefined for an ordinary entry. */
function readExtension(
  archive: string,
  { type }: Header,
  bytes: Uint8Array,
): { path?: string; size?: number } | undefined {
  if (type === 'x') return readPax(archive, bytes);
  if (type === 'L') return { path: field(archive, bytes, 0, bytes.length) };
  return type === 'g' ? {} : undefined;
}

function isFile(archive: string, { path, type }: Header): boolean {
  refuseUnsafePath(archive, path);
  if (type === '5') return false;
  if (type === '0' || type === '\u0000') return !path.endsWith('/');
  const kind = type === '1' || type === '2' ? 'a link' : 'neither a file nor a directory';
  throw new Unreadable(`${archive}: ${quoted(path)} is ${kind}.`);
}

function contentAfter(archive: string, tar: Uint8Array, start: number, { path, size }: Header): Uint8Array {
  const bytes = tar.subarray(start, start + size);
  if (bytes.length < size) throw new Unreadable(`${archive}: ${quoted(path)} is cut short.`);
  return bytes;
}

function field(archive: string, block: Uint8Array, start: number, length: number): string {
  const bytes = block.subarray(start, start + length);
  const end = bytes.indexOf(0);
  try {
    return UTF8.decode(end < 0 ? bytes : bytes.subarray(0, end));
  } catch (cause) {
    throw new Unreadable(`${archive}: contains a path that is not UTF-8.`, { cause });
  }
}

function octal(block: Uint8Array, start: number, length: number): number | undefined {
  const text = LATIN1.decode(block.subarray(start, start + length));
  const digits = /^ *([0-7]+)[ \0]*$/.exec(text)?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 8);
}

/** The sum of the header's bytes with its own checksum field read as spaces. */
function checksum(block: Uint8Array): number {
  return block.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0);
}

function isZero(bytes: Uint8Array): boolean {
  // A loop, because a callback for each of 50 MiB of zeros costs several times as much.
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] !== 0) return false;
  return true;
}
