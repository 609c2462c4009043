import { gzipSync } from 'node:zlib';
import { usageError } from '../run/cli-error.ts';

export interface NamedFile {
  readonly name: string;
  readonly content: Uint8Array;
}

const BLOCK = 512;
const MAX_NAME_LENGTH = 100;

/** A gzipped tar. The same files give the same bytes: no time, no owner. */
export function tgzOf(files: readonly NamedFile[]): Buffer {
  const parts = files.flatMap(({ name, content }) => [
    headerOf(name, content.length),
    content,
    Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK),
  ]);
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]));
}

function headerOf(name: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  header.write(name, 0, MAX_NAME_LENGTH, 'utf8');
  header.write(octal(0o644, 7), 100, 'ascii');
  header.write(octal(0, 7), 108, 'ascii');
  header.write(octal(0, 7), 116, 'ascii');
  header.write(octal(size, 11), 124, 'ascii');
  header.write(octal(0, 11), 136, 'ascii');
  header.write(' '.repeat(8), 148, 'ascii');
  header.write('0', 156, 'ascii');
  header.write('ustar\x0000', 257, 'ascii');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'ascii');
  return header;
}

/**
 * Returns names for the archive: unique, short enough for its format, inside the archive, and with the extension by
 * which the service finds them.
 */
export function packed(files: readonly NamedFile[], ending: string): NamedFile[] {
  const taken = new Set<string>();
  return files.map(({ name, content }, at) => {
    const safe = name.split(/[\\/]/).filter((part) => part !== '' && part !== '.' && part !== '..');
    const short = safe
      .join('/')
      .replace(/[^\w./-]/g, '_')
      .slice(-(MAX_NAME_LENGTH - 16))
      .replace(/^[./]+/, '');
    const full = short.toLowerCase().endsWith(ending) ? short : `${short}${ending}`;
    const unique = taken.has(full) ? `${at}/${full}` : full;
    taken.add(unique);
    return { name: unique, content };
  });
}

export function checkTotal(files: readonly NamedFile[], maxBytes: number): void {
  const total = files.reduce((sum, { content }) => sum + content.length, 0);
  if (total <= maxBytes) return;
  throw usageError(
    `The files have ${Math.ceil(total / 1024 / 1024)} MiB in total; the limit is ${maxBytes / 1024 / 1024} MiB`,
    'Send fewer or smaller files',
  );
}
