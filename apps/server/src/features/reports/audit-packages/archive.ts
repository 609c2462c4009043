import { hash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { type Header, type Pack, pack } from 'tar-stream';

/** Generated for the package, and small. */
interface WrittenFile {
  readonly path: string;
  readonly content: string;
}

/** Streamed into the package. The stream must fail when its content does not match `sha256`. */
interface CopiedFile {
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
  open(): Promise<Readable>;
}

export type PackageFile = WrittenFile | CopiedFile;

/**
 * A `.tgz` of the files, then `manifest.json` with the digests of all of them, then `SHA256SUMS`. It fails as a whole
 * when one file cannot be read to its end.
 */
export function archive(files: AsyncIterable<PackageFile>, manifest: object, at: Date): Readable {
  const tar = pack();
  const tgz = createGzip();
  // A failure on either side reaches the reader as an error of the returned stream; a reader that disconnects ends
  // both.
  pipeline(Readable.from(tar), tgz, () => undefined);
  tar.on('error', () => undefined);
  writeAll(tar, files, manifest, at).then(
    () => tar.finalize(),
    (error: Error) => tar.destroy(error),
  );
  return tgz;
}

type Entry = ReturnType<Pack['entry']>;

interface Listed {
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
}

async function writeAll(tar: Pack, files: AsyncIterable<PackageFile>, manifest: object, at: Date): Promise<void> {
  const listed: Listed[] = [];
  for await (const file of files) listed.push(await write(tar, file, at));
  const list = `${JSON.stringify({ ...manifest, files: listed }, null, 2)}\n`;
  listed.push(await write(tar, { path: 'manifest.json', content: list }, at));
  const sums = listed.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join('');
  await write(tar, { path: 'SHA256SUMS', content: sums }, at);
}

async function write(tar: Pack, file: PackageFile, at: Date): Promise<Listed> {
  const { path } = file;
  if (!('content' in file)) {
    await copy(tar, headerOf(path, file.size, at), await file.open());
    return { path, sha256: file.sha256, size: file.size };
  }
  const bytes = Buffer.from(file.content);
  await added((done) => tar.entry(headerOf(path, bytes.length, at), bytes, done));
  return { path, sha256: hash('sha256', bytes, 'hex'), size: bytes.length };
}

/** Settles also when the archive is aborted, and releases the source. */
async function copy(tar: Pack, header: FileHeader, source: Readable): Promise<void> {
  try {
    await added((done) => {
      const entry = tar.entry(header, done);
      source.once('error', (error) => entry.destroy(error));
      source.pipe(entry);
      return entry;
    });
  } finally {
    source.destroy();
  }
}

function added(begin: (done: (error?: Error | null) => void) => Entry): Promise<void> {
  return new Promise((resolve, reject) => {
    const entry = begin((error) => (error ? reject(error) : resolve()));
    // The error reaches the callback as well; without a listener, Node would end the process.
    entry.on('error', () => undefined);
  });
}

type FileHeader = Pick<Header, 'name' | 'size' | 'mtime' | 'mode' | 'uid' | 'gid' | 'type'>;

/** Equal content at the same time makes equal bytes, on any machine. */
function headerOf(name: string, size: number, mtime: Date): FileHeader {
  return { name, size, mtime, mode: 0o644, uid: 0, gid: 0, type: 'file' };
}
