import { fromBase64, fromHex, toBase64, toHex } from '../bytes.ts';
import { type Fields, fieldOf, fieldsOf, isText, isTextOrNull, isTexts, parseCanonical } from '../canonical.ts';
import { type EntryLeaf, entryLeafHash, formatLeaf, parseLeaf } from '../entries/entry-leaf.ts';
import { actorDigest, payloadDigest } from '../entries/keyed-digest.ts';
import { formatRegionLeaf } from '../entries/region-leaf.ts';
import { FormatError } from '../format-error.ts';
import { HASH_BYTES, type Hash, type Sha256, sha256 } from '../merkle/hashing.ts';
import { verifyInclusion } from '../merkle/inclusion.ts';
import { isSize } from '../merkle/spans.ts';
import { textOf } from '../text.ts';
import { MAX_PROOF_HASHES } from './hash-lines.ts';

/** A journal entry with its place in the log of its org. */
export interface ProvenEntry {
  readonly leaf: EntryLeaf;
  /** Null once the entry is erased, as are the nonce and the payload. */
  readonly actorName: string | null;
  readonly nonce: Uint8Array | null;
  /** Canonical JSON. */
  readonly payload: string | null;
  readonly index: number;
  /** The inclusion proof of the leaf in the log. */
  readonly hashes: readonly Hash[];
}

/** The head of the log of an org. */
export interface OrgHead {
  /** The id of the log. */
  readonly log: string;
  readonly origin: string;
  readonly size: number;
  readonly root: Hash;
}

const FORMAT = 'ledger entry';
const MAX_LINE_BYTES = 2 * 1024 * 1024;
const LOG_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const isLogId = (value: unknown): value is string => typeof value === 'string' && LOG_ID.test(value);
const isIndex = (value: unknown): value is number => typeof value === 'number' && isSize(value);

/** Returns one line of `ledger/entries.ndjson`, without its newline. */
export function formatEntry(entry: ProvenEntry): string {
  return `{"entry":${entryText(entry)},"hashes":${hashesText(entry.hashes)},"index":${entry.index}}`;
}

/** Reads one line of `ledger/entries.ndjson`, and verifies nothing. */
export function parseEntry(input: string | Uint8Array): ProvenEntry {
  return parseCanonical(textOf(input, FORMAT, MAX_LINE_BYTES), FORMAT, {
    read(value) {
      const line = fieldsOf(value, FORMAT);
      return { ...readEntry(line, FORMAT), ...readPlace(line, FORMAT) };
    },
    write: formatEntry,
  });
}

export function entryText({ actorName, leaf, nonce, payload }: ProvenEntry): string {
  const hex = nonce && toHex(nonce);
  return (
    `{"actor_name":${JSON.stringify(actorName)},"leaf":${formatLeaf(leaf)},` +
    `"nonce":${JSON.stringify(hex)},"payload":${JSON.stringify(payload)}}`
  );
}

export function hashesText(hashes: readonly Hash[]): string {
  return JSON.stringify(hashes.map(toBase64));
}

export function readEntry(from: Fields, format: string): Pick<ProvenEntry, 'leaf' | 'actorName' | 'nonce' | 'payload'> {
  const entry = fieldsOf(from['entry'], format, 'entry');
  const actorName = fieldOf(entry, 'actor_name', isTextOrNull, format);
  const payload = fieldOf(entry, 'payload', isTextOrNull, format);
  const hex = fieldOf(entry, 'nonce', isTextOrNull, format);
  const nonce = hex === null ? null : fromHex(hex);
  if (nonce?.length === 0 || nonce === undefined) throw new FormatError(format, 'nonce is not hex');
  if ((nonce === null) !== (payload === null) || (nonce === null) !== (actorName === null))
    throw new FormatError(format, 'has some but not all of nonce, payload, and actor_name');
  return { leaf: parseLeaf(JSON.stringify(entry['leaf']) ?? ''), actorName, nonce, payload };
}

export function readPlace(from: Fields, format: string): Pick<ProvenEntry, 'index' | 'hashes'> {
  const index = fieldOf(from, 'index', isIndex, format);
  const texts = fieldOf(from, 'hashes', isTexts, format);
  return { index, hashes: readHashes(texts, format) };
}

export function readHashes(texts: readonly string[], format: string): Hash[] {
  if (texts.length > MAX_PROOF_HASHES) throw new FormatError(format, `has more than ${MAX_PROOF_HASHES} hashes`);
  return texts.map((text) => {
    const hash = fromBase64(text);
    if (hash?.length !== HASH_BYTES) throw new FormatError(format, 'has a hash that is not the base64 of 32 bytes');
    return hash;
  });
}

/** Returns the leaf of the region log with this head. */
export function regionLeafOf({ log, root, size }: OrgHead): string {
  return formatRegionLeaf({ kind: 'org', log, root: toHex(root), size });
}

export function readHead(from: Fields, format: string): OrgHead {
  const log = fieldOf(from, 'log', isLogId, format);
  const origin = fieldOf(from, 'origin', isText, format);
  const root = fromHex(fieldOf(from, 'root', isText, format));
  if (root?.length !== HASH_BYTES) throw new FormatError(format, 'the root is not the hex of 32 bytes');
  return { log, origin, root, size: fieldOf(from, 'size', isIndex, format) };
}

/** Returns what of the content of an entry does not have the digest in its leaf. An erased entry has no content. */
export function differingContent(
  { leaf, actorName, nonce, payload }: ProvenEntry,
  hash: Sha256 = sha256,
): ('payload' | 'actor_name')[] {
  if (nonce === null) return [];
  return [
    ...(payloadDigest(payload ?? '', nonce, hash) === leaf.payload_digest ? [] : (['payload'] as const)),
    ...(actorDigest(actorName ?? '', nonce, hash) === leaf.actor_digest ? [] : (['actor_name'] as const)),
  ];
}

/** Returns whether the leaf of an entry is in the log with this head. */
export function isInOrgLog(
  { leaf, index, hashes }: ProvenEntry,
  { size, root }: Pick<OrgHead, 'size' | 'root'>,
  hash: Sha256 = sha256,
): boolean {
  if (index >= size) return false;
  return verifyInclusion({ index, size, root, leafHash: entryLeafHash(leaf, hash), proof: hashes }, hash);
}
