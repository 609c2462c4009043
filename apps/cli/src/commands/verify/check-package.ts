import { createHash, hash } from 'node:crypto';
import { type ClaimedAttachment, checkRecord } from './check-record.ts';
import { BrokenArchiveError, type PackageEntry } from './package-entries.ts';

export interface Problem {
  readonly path: string;
  readonly problem: string;
}

export interface CheckedPackage {
  readonly problems: readonly Problem[];
  readonly files: number;
  readonly records: number;
  readonly attachments: number;
  /** For comparison with the exporter of the package. */
  readonly sumsSha256: string | null;
  readonly manifest: Readonly<Record<string, unknown>> | null;
}

interface Seen {
  readonly sha256: string;
  readonly size: number;
}

interface Check {
  readonly seen: Map<string, Seen>;
  readonly claimed: { readonly record: string; readonly attachment: ClaimedAttachment }[];
  /** The first problem of each file: it explains the most. */
  readonly problems: Map<string, string>;
  readonly contents: Map<string, Buffer>;
}

const SUMS = 'SHA256SUMS';
const MANIFEST = 'manifest.json';
const MAX_FILES = 1_000_000;
/** Limit for files that are read into memory. Records are far smaller; only attachments may be large. */
const MAX_READ_BYTES = 256 * 1024 * 1024;

/** Reads a whole package and checks it against its own manifest and digests. Sends no request. */
export async function checkPackage(entries: AsyncIterable<PackageEntry>): Promise<CheckedPackage> {
  const check: Check = { seen: new Map(), claimed: [], problems: new Map(), contents: new Map() };
  let isBroken = false;
  try {
    for await (const entry of entries) await checkEntry(check, entry);
  } catch (error) {
    if (!(error instanceof BrokenArchiveError)) throw error;
    isBroken = true;
    found(check, 'the archive', `cannot be read completely: ${error.message}`);
  }
  const manifest = parsedManifest(check);
  // After a truncated archive, every later file would be listed as missing.
  if (!isBroken) {
    checkSums(check);
    checkManifest(check, manifest);
    checkAttachments(check);
  }
  return summary(check, manifest);
}

async function checkEntry(check: Check, entry: PackageEntry): Promise<void> {
  const path = entry.path.replace(/^(\.\/)+/, '').replace(/\/$/, '');
  if (entry.kind === 'directory' && (path === '' || path === '.')) return;
  const fault = faultOf(check, entry, path);
  if (fault !== undefined) found(check, path || entry.path, fault);
  if (fault !== undefined || entry.kind === 'directory') return;
  if (check.seen.size >= MAX_FILES) throw new BrokenArchiveError(`it contains more than ${MAX_FILES} files`);
  const { seen, bytes } = await read(entry, isReadWhole(path));
  check.seen.set(path, seen);
  if (!bytes) return;
  if (path.startsWith('records/')) checkOneRecord(check, path, bytes);
  else check.contents.set(path, bytes);
}

function faultOf({ seen }: Check, { kind }: PackageEntry, path: string): string | undefined {
  if (leadsElsewhere(path)) return 'points outside of the package';
  if (kind === 'other') return 'is a link or another entry that is not a file';
  return seen.has(path) ? 'occurs twice' : undefined;
}

function leadsElsewhere(path: string): boolean {
  const isOdd = /^$|^\/|\\|^[A-Za-z]:|\p{Cc}/u.test(path);
  return isOdd || path.split('/').some((part) => part === '' || part === '.' || part === '..');
}

const isReadWhole = (path: string) => path === SUMS || path === MANIFEST || /^records\/.*\.json$/.test(path);

async function read(
  { path, content }: PackageEntry,
  isWhole: boolean,
): Promise<{ readonly seen: Seen; readonly bytes: Buffer | undefined }> {
  const digest = createHash('sha256');
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content) {
    digest.update(chunk);
    size += chunk.length;
    if (!isWhole) continue;
    if (size > MAX_READ_BYTES) throw new BrokenArchiveError(`${path} exceeds the maximum size`);
    chunks.push(chunk);
  }
  return { seen: { sha256: digest.digest('hex'), size }, bytes: isWhole ? Buffer.concat(chunks) : undefined };
}

function checkOneRecord(check: Check, path: string, bytes: Buffer): void {
  const { problem, attachment } = checkRecord(path, bytes);
  if (problem !== undefined) found(check, path, problem);
  if (attachment) check.claimed.push({ record: path, attachment });
}

function checkSums(check: Check): void {
  const bytes = check.contents.get(SUMS);
  if (!bytes) found(check, SUMS, 'is missing, so the rest cannot be verified');
  else compare(check, SUMS, listedInSums(check, bytes));
}

interface Listed {
  readonly path: string;
  readonly sha256: unknown;
  /** The manifest and the digests listed with it. */
  readonly size?: unknown;
}

function listedInSums(check: Check, bytes: Buffer): Listed[] {
  const lines = bytes.toString('utf8').split('\n');
  return lines.flatMap((line) => {
    const [, sha256, path] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
    if (path !== undefined) return { path, sha256 };
    if (line !== '') found(check, SUMS, 'has a line without a digest and a name');
    return [];
  });
}

/** Every file must be listed, and every listed file must be present with its digest. */
function compare(check: Check, list: string, listed: readonly Listed[]): void {
  for (const { path, sha256, size } of listed) {
    const seen = check.seen.get(path);
    if (!seen) found(check, path, `is missing; ${list} lists it`);
    else if (seen.sha256 !== sha256 || (size !== undefined && seen.size !== size)) {
      const wanted = typeof sha256 === 'string' ? sha256 : 'something else';
      found(check, path, `was changed: its SHA-256 is ${seen.sha256}, but ${wanted} is listed`);
    }
  }
  const names = new Set([...listed.map(({ path }) => path), list, SUMS]);
  for (const path of check.seen.keys()) {
    if (!names.has(path)) found(check, path, `does not belong to the package: ${list} does not list it`);
  }
}

function parsedManifest({ contents }: Check): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(contents.get(MANIFEST)?.toString('utf8') ?? 'null');
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

function checkManifest(check: Check, manifest: Readonly<Record<string, unknown>> | null): void {
  const files = manifest?.['files'];
  if (!check.seen.has(MANIFEST)) found(check, MANIFEST, 'is missing');
  else if (!Array.isArray(files)) found(check, MANIFEST, 'does not list the files');
  else if (manifest?.['schema_version'] !== 1) {
    found(check, MANIFEST, 'has an unknown version; update waymark');
  } else compare(check, MANIFEST, files.map(listedInManifest));
}

function listedInManifest(file: unknown): Listed {
  const { path, sha256, size = null } = (file ?? {}) as Readonly<Record<string, unknown>>;
  return { path: String(path), sha256, size };
}

/** An attachment is in a folder named after its digest, and its attestation names both. */
function checkAttachments(check: Check): void {
  for (const [path, { sha256 }] of check.seen) {
    const [, named] = /^attachments\/([^/]+)\//.exec(path) ?? [];
    if (named !== undefined && named !== sha256) found(check, path, `has the digest ${sha256}, not that of its folder`);
  }
  for (const { record, attachment } of check.claimed) {
    const seen = check.seen.get(attachment.path);
    if (!seen) found(check, record, `names the attachment ${attachment.path}, which is missing`);
    else if (seen.sha256 !== attachment.sha256) {
      found(check, record, `was recorded with a different attachment than ${attachment.path}`);
    }
  }
}

function found({ problems }: Check, path: string, problem: string): void {
  if (!problems.has(path)) problems.set(path, problem);
}

function summary(check: Check, manifest: CheckedPackage['manifest']): CheckedPackage {
  const paths = [...check.seen.keys()];
  const sums = check.contents.get(SUMS);
  return {
    problems: [...check.problems].map(([path, problem]) => ({ path, problem })),
    files: paths.length,
    records: paths.filter((path) => path.startsWith('records/')).length,
    attachments: paths.filter((path) => path.startsWith('attachments/')).length,
    sumsSha256: sums ? hash('sha256', sums) : null,
    manifest,
  };
}
