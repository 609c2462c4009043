import { Unreadable } from './unreadable.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const SPACE = 0x20;
const NEWLINE = 0x0a;
const MAX_LENGTH_DIGITS = 8;

/** Reads the records `<length> <key>=<value>\n` of a pax header that change the next entry's path or size. */
export function readPax(archive: string, bytes: Uint8Array): { path?: string; size?: number } {
  const found: { path?: string; size?: number } = {};
  for (let offset = 0; offset < bytes.length; ) {
    const record = recordAt(archive, bytes, offset);
    offset += record.length;
    if (record.key.startsWith('GNU.sparse')) throw new Unreadable(`${archive}: contains a sparse file.`);
    if (record.key === 'path') found.path = record.value;
    if (record.key === 'size') found.size = sizeOf(archive, record.value);
  }
  return found;
}

function recordAt(archive: string, bytes: Uint8Array, offset: number): { length: number; key: string; value: string } {
  const space = bytes.subarray(offset, offset + MAX_LENGTH_DIGITS).indexOf(SPACE);
  const digits = String.fromCharCode(...bytes.subarray(offset, offset + Math.max(space, 0)));
  const length = /^[0-9]+$/.test(digits) ? Number(digits) : 0;
  if (length <= space + 1 || bytes[offset + length - 1] !== NEWLINE) throw damaged(archive);
  const text = decode(archive, bytes.subarray(offset + space + 1, offset + length - 1));
  const equals = text.indexOf('=');
  if (equals < 1) throw damaged(archive);
  return { length, key: text.slice(0, equals), value: text.slice(equals + 1) };
}

function sizeOf(archive: string, text: string): number {
  if (!/^[0-9]{1,12}$/.test(text)) throw damaged(archive);
  return Number(text);
}

function decode(archive: string, bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    throw new Unreadable(`${archive}: contains a path that is not UTF-8.`, { cause });
  }
}

function damaged(archive: string): Unreadable {
  return new Unreadable(`${archive}: a pax header of the tar archive is damaged.`);
}
