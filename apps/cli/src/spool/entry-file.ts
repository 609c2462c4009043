import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type EntryName, headDigest } from './entry-name.ts';
import { codeOf, SpoolError } from './spool-error.ts';
import type { Content, Spooled, SpooledFile } from './spooled.ts';

const CHUNK = 64 * 1024;
const NEWLINE = 10;

/** Why an entry is unreadable. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

export interface Attached {
  readonly file: SpooledFile;
  readonly content: Blob;
}

/** An entry is one file: a line of JSON, followed by the bytes of the attachment. */
export async function writeEntryFile(path: string, head: string, attached: Attached | undefined): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(`${head}\n`);
    if (attached) await writeContent(handle, attached);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeContent(handle: FileHandle, { file, content }: Attached): Promise<void> {
  const digest = createHash('sha256');
  try {
    for await (const chunk of content.stream()) {
      digest.update(chunk);
      await handle.writeFile(chunk);
    }
  } catch (error) {
    // The file changed after it was opened.
    if (!(error instanceof DOMException)) throw error;
    throw changedMeanwhile(file, error);
  }
  if (digest.digest('hex') !== file.sha256) throw changedMeanwhile(file);
}

function changedMeanwhile({ name }: SpooledFile, cause?: unknown): SpoolError {
  const why = `${name} changed while it was being read`;
  return new SpoolError('The file was not spooled', {
    why,
    fix: 'Try again when no other process writes to it',
    cause,
  });
}

async function blobOf(content: Content): Promise<Blob> {
  if (content instanceof Blob) return content;
  if (typeof content !== 'string') return new Blob([Uint8Array.from(content)]);
  try {
    return await openAsBlob(content);
  } catch (error) {
    throw new SpoolError('The file was not spooled', {
      why: `${content} cannot be read (${codeOf(error) ?? 'unknown'})`,
      fix: 'Check the path and the permissions of the file',
      cause: error,
    });
  }
}

export async function attach(name: string, from: Content): Promise<Attached> {
  const content = await blobOf(from);
  return { file: { name, sha256: await sha256Of(content), size: content.size }, content };
}

export interface EntryFile {
  readonly entry: Spooled;
  /** Where the attachment begins. */
  readonly offset: number;
}

/** Reads an entry without its attachment, and verifies that it is unchanged. */
export async function readEntryFile(path: string, name: EntryName): Promise<EntryFile> {
  const handle = await open(path, 'r');
  try {
    const head = await readHead(handle);
    if (headDigest(head) !== name.digest) throw new Unreadable('its content was changed');
    const entry = JSON.parse(head) as Spooled;
    const offset = Buffer.byteLength(head) + 1;
    const { size } = await handle.stat();
    const expected = offset + (entry.file?.size ?? 0);
    if (size !== expected) throw new Unreadable(`it has ${size} bytes, not ${expected}`);
    return { entry, offset };
  } finally {
    await handle.close();
  }
}

/** Returns the attachment, after verifying that it is unchanged. */
export async function readContent(path: string, { entry, offset }: EntryFile): Promise<Blob | undefined> {
  if (!entry.file) return undefined;
  const content = (await openAsBlob(path)).slice(offset);
  if ((await sha256Of(content)) !== entry.file.sha256) throw new Unreadable('its file was changed');
  return content;
}

async function readHead(handle: FileHandle): Promise<string> {
  const chunks: Buffer[] = [];
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(CHUNK), 0, CHUNK, null);
    if (bytesRead === 0) throw new Unreadable('its end is missing');
    const end = buffer.subarray(0, bytesRead).indexOf(NEWLINE);
    chunks.push(buffer.subarray(0, end === -1 ? bytesRead : end));
    if (end !== -1) return Buffer.concat(chunks).toString('utf8');
  }
}

async function sha256Of(content: Blob): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of content.stream()) digest.update(chunk);
  return digest.digest('hex');
}
