import { gzipSync } from 'node:zlib';

export interface GivenEntry {
  path: string;
  content?: string | Uint8Array;
  type?: string;
  /** Overrides of header fields, to make them wrong. */
  size?: number;
}

export function givenTar(entries: readonly GivenEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, content = '', type = '0', size }) => {
    const bytes = Buffer.from(content);
    const padding = Buffer.alloc((512 - (bytes.length % 512)) % 512);
    return [header(path, size ?? bytes.length, type), bytes, padding];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

export function givenTgz(entries: readonly GivenEntry[]): Buffer {
  return gzipSync(givenTar(entries));
}

/** A record of a pax header, whose length counts its own digits. */
export function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  const digits = String(bytes + String(bytes + 2).length).length;
  return `${bytes + digits}${rest}`;
}

function header(path: string, size: number, type: string): Buffer {
  const block = Buffer.alloc(512);
  block.write(path, 0, 100, 'utf8');
  block.write('0000644\u0000', 100);
  block.write(`${size.toString(8).padStart(11, '0')}\u0000`, 124);
  block.write('        ', 148);
  block.write(type, 156);
  block.write('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148);
  return block;
}
