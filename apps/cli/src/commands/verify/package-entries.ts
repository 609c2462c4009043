import { closeSync, createReadStream, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { BrokenArchiveError, type PackageEntry } from '@waymark/audit-verifier';
import { extract } from 'tar-stream';

export function isGzip(file: string): boolean {
  const start = Buffer.alloc(2);
  const opened = openSync(file, 'r');
  try {
    return readSync(opened, start) === 2 && start.readUInt16BE() === 0x1f8b;
  } finally {
    closeSync(opened);
  }
}

/** Each entry must be read or skipped before the next one. */
export async function* archiveEntries(file: string, signal: AbortSignal): AsyncGenerator<PackageEntry> {
  const source = createReadStream(file, { signal });
  const unzipped = createGunzip();
  const entries = extract();
  source.on('error', (error) => unzipped.destroy(error));
  unzipped.on('error', (error) => entries.destroy(error));
  // The consumer of the next entry gets the error as well; without a listener, Node would exit.
  entries.on('error', () => undefined);
  // A writable of another library that differs in its types only.
  source.pipe(unzipped).pipe(entries as unknown as Writable);
  try {
    for await (const entry of entries) {
      const { name, type } = entry.header;
      const kind =
        type === 'file' || type === 'contiguous-file' ? 'file' : type === 'directory' ? 'directory' : 'other';
      yield { path: name, kind, content: unbroken(entry as AsyncIterable<Uint8Array>, signal) };
      entry.resume();
    }
  } catch (error) {
    throw broken(error, signal);
  } finally {
    source.destroy();
    unzipped.destroy();
    entries.destroy();
  }
}

/** The archive may end in the middle of a file. */
async function* unbroken(content: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    throw broken(error, signal);
  }
}

function broken(error: unknown, signal: AbortSignal): Error {
  signal.throwIfAborted();
  return new BrokenArchiveError(error instanceof Error ? error.message : String(error), { cause: error });
}

/** An unpacked package. Links are not followed: they would lead out of it. */
export async function* directoryEntries(root: string, below = ''): AsyncGenerator<PackageEntry> {
  for (const name of readdirSync(join(root, below)).sort()) {
    const path = below === '' ? name : `${below}/${name}`;
    const stats = lstatSync(join(root, path));
    if (stats.isDirectory()) yield* directoryEntries(root, path);
    else
      yield {
        path,
        kind: stats.isFile() ? 'file' : 'other',
        content: stats.isFile() ? read(join(root, path)) : none(),
      };
  }
}

/** Opened on the first read, so that no unused file stays open. */
async function* read(file: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of createReadStream(file)) yield chunk as Uint8Array;
}

async function* none(): AsyncGenerator<Uint8Array> {
  // A link, a pipe or a device has no content to check.
}
