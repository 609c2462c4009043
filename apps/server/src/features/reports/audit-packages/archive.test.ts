import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { archive, type PackageFile } from './archive.ts';

const AT = new Date('2026-11-01T12:00:00Z');
const MIB = 1024 * 1024;

async function* files(...given: PackageFile[]) {
  yield* given;
}

/** A file of zeros that counts the bytes read from it. */
function zeros(size: number, given = size) {
  const asked = { bytes: 0, closed: false };
  const file: PackageFile = {
    path: 'zeros',
    sha256: '0'.repeat(64),
    size,
    open: async () => {
      const stream = new Readable({
        read() {
          const left = Math.min(64 * 1024, given - asked.bytes);
          asked.bytes += left;
          this.push(left > 0 ? Buffer.alloc(left) : null);
        },
      });
      stream.once('close', () => {
        asked.closed = true;
      });
      return stream;
    },
  };
  return { asked, file };
}

describe('an archive', () => {
  it('holds the files in their order, then the manifest, then the sums', async () => {
    const tgz = await buffer(archive(files({ path: 'a.txt', content: 'abc' }), { about: 'this' }, AT));
    const tar = gunzipSync(tgz);
    const at = (start: number, length: number) => tar.toString('utf8', start, start + length).replace(/\0+$/, '');
    expect(at(0, 100)).toBe('a.txt');
    expect(at(512, 3)).toBe('abc');
    expect(at(1024, 100)).toBe('manifest.json');
    const digest = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    const manifest = `${JSON.stringify({ about: 'this', files: [{ path: 'a.txt', sha256: digest, size: 3 }] }, null, 2)}\n`;
    expect(at(1536, manifest.length)).toBe(manifest);
    expect(at(2048, 100)).toBe('SHA256SUMS');
    expect(at(2560, 72)).toBe(`${digest}  a.txt\n`);
  });

  it('reads a large file no faster than it is consumed', async () => {
    const { asked, file } = zeros(1024 * MIB);
    const stream = archive(files(file), {}, AT);
    await once(stream, 'readable');
    await new Promise((resolve) => setTimeout(resolve, 300));
    // Zeros compress a thousand to one, so the buffered output represents more than was consumed.
    expect(asked.bytes).toBeGreaterThan(0);
    expect(asked.bytes).toBeLessThan(64 * MIB);
    stream.destroy();
    await once(stream, 'close');
    await expect.poll(() => asked.closed).toBe(true);
    expect(asked.bytes).toBeLessThan(64 * MIB);
  });

  it.each([
    ['shorter', 1000],
    ['longer', 3000],
  ])('fails when a file is %s than declared', async (_, given) => {
    const { asked, file } = zeros(2000, given);
    await expect(buffer(archive(files(file), {}, AT))).rejects.toThrow('Size mismatch');
    await expect.poll(() => asked.closed).toBe(true);
  });

  it('fails when a file cannot be opened, and when the list of files breaks off', async () => {
    const file: PackageFile = { path: 'a', sha256: '', size: 1, open: () => Promise.reject(new Error('no such blob')) };
    await expect(buffer(archive(files(file), {}, AT))).rejects.toThrow('no such blob');
    async function* broken(): AsyncGenerator<PackageFile> {
      yield { path: 'a', content: 'a' };
      throw new Error('no more');
    }
    await expect(buffer(archive(broken(), {}, AT))).rejects.toThrow('no more');
  });
});
