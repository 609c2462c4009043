import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import { type Sha256, sha256 } from '@waymark/transparency';
import type { Findings } from './findings.ts';
import { hexOf, isObject, type Json, parseJson } from './json.ts';
import { BrokenArchiveError, type FileDigest, type PackageEntry } from './package-entry.ts';

/** The files of a package. Those that are verified as text are in memory; attachments are not. */
export interface ReadPackage {
  readonly files: ReadonlyMap<string, FileFacts>;
  readonly texts: ReadonlyMap<string, Uint8Array>;
  /** The archive ends too early, so nothing can be said about what is missing. */
  readonly isBroken: boolean;
  readonly manifest: Json | null;
  /** What entries and their proofs are hashed with. */
  readonly hash: Sha256;
}

export interface FileFacts {
  readonly sha256: string;
  readonly size: number;
}

export const SUMS = 'SHA256SUMS';
export const MANIFEST = 'manifest.json';
const MAX_FILES = 1_000_000;
/** Limit for files that are read into memory. Records are far smaller; only attachments may be large. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;

/** Replaces the SHA-256 in JavaScript: that of Node is several times as fast. */
export interface Hashing {
  readonly createDigest?: (() => FileDigest) | undefined;
  readonly hash?: Sha256 | undefined;
}

/** Reads all entries of a package, and finds those that no package has. */
export async function readPackage(
  entries: AsyncIterable<PackageEntry>,
  findings: Findings,
  { createDigest = nobleDigest, hash = sha256 }: Hashing = {},
): Promise<ReadPackage> {
  const files = new Map<string, FileFacts>();
  const texts = new Map<string, Uint8Array>();
  let isBroken = false;
  try {
    for await (const entry of entries) await readEntry(entry, { files, texts }, findings, createDigest);
  } catch (error) {
    if (!(error instanceof BrokenArchiveError)) throw error;
    isBroken = true;
    findings.add('the archive', `cannot be read completely: ${error.message}`);
  }
  const manifest = parseJson(texts.get(MANIFEST) ?? new Uint8Array());
  return { files, texts, isBroken, manifest: isObject(manifest) ? manifest : null, hash };
}

interface Reading {
  readonly files: Map<string, FileFacts>;
  readonly texts: Map<string, Uint8Array>;
}

async function readEntry(
  entry: PackageEntry,
  { files, texts }: Reading,
  findings: Findings,
  createDigest: () => FileDigest,
): Promise<void> {
  const path = entry.path.replace(/^(\.\/)+/, '').replace(/\/$/, '');
  if (entry.kind === 'directory' && (path === '' || path === '.')) return;
  const fault = faultOf(entry, path, files);
  if (fault !== undefined) findings.add(path || entry.path, fault);
  if (fault !== undefined || entry.kind === 'directory') return;
  if (files.size >= MAX_FILES) throw new BrokenArchiveError(`it contains more than ${MAX_FILES} files`);
  const isText = isReadWhole(path);
  const digest = createDigest();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of entry.content) {
    digest.update(chunk);
    size += chunk.length;
    if (!isText) continue;
    if (size > MAX_TEXT_BYTES) throw new BrokenArchiveError(`${path} exceeds the maximum size`);
    chunks.push(chunk);
  }
  files.set(path, { sha256: digest.hex(), size });
  if (isText) texts.set(path, joined(chunks, size));
}

function faultOf({ kind }: PackageEntry, path: string, files: ReadonlyMap<string, FileFacts>): string | undefined {
  if (leadsElsewhere(path)) return 'points outside of the package';
  if (kind === 'other') return 'is a link or another entry that is not a file';
  return files.has(path) ? 'occurs twice' : undefined;
}

function leadsElsewhere(path: string): boolean {
  const isOdd = /^$|^\/|\\|^[A-Za-z]:|\p{Cc}/u.test(path);
  return isOdd || path.split('/').some((part) => part === '' || part === '.' || part === '..');
}

const isReadWhole = (path: string) =>
  path === SUMS || path === MANIFEST || /^records\/.*\.json$/.test(path) || path.startsWith('ledger/');

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = chunks;
  if (only && chunks.length === 1) return only;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

function nobleDigest(): FileDigest {
  const digest = nobleSha256.create();
  return { update: (bytes) => digest.update(bytes), hex: () => hexOf(digest.digest()) };
}
