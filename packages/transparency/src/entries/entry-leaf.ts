import { fromHex } from '../bytes.ts';
import { FormatError } from '../format-error.ts';
import { type Hash, leafHashOf, type Sha256, sha256 } from '../merkle/hashing.ts';
import { shown, textOf, utf8 } from '../text.ts';

/** The leaf of a journal entry in the ledger of its org. Digests are 64 lowercase hex digits. */
export interface EntryLeaf {
  readonly actor_digest: string;
  readonly actor_id: string | null;
  readonly actor_kind: string;
  /** As in `2026-11-18T10:37:00.123Z`. */
  readonly at: string;
  readonly id: string;
  readonly payload_digest: string;
  readonly subject_id: string;
  readonly subject_kind: string;
  readonly subject_seq: number;
  readonly type: string;
  /** The version of the payload. */
  readonly version: number;
}

const FORMAT = 'leaf';
const LEAF_VERSION = 1;
const MAX_LEAF_BYTES = 0xffff;
const DIGEST_BYTES = 32;

/** Returns the canonical JSON of a leaf, as in RFC 8785: its keys in order, and nothing between them. */
export function formatLeaf(leaf: EntryLeaf): string {
  return JSON.stringify({
    actor_digest: leaf.actor_digest,
    actor_id: leaf.actor_id,
    actor_kind: leaf.actor_kind,
    at: leaf.at,
    id: leaf.id,
    payload_digest: leaf.payload_digest,
    subject_id: leaf.subject_id,
    subject_kind: leaf.subject_kind,
    subject_seq: leaf.subject_seq,
    type: leaf.type,
    v: LEAF_VERSION,
    version: leaf.version,
  });
}

export function entryLeafHash(leaf: EntryLeaf, hash: Sha256 = sha256): Hash {
  return leafHashOf(utf8(formatLeaf(leaf)), hash);
}

const isText = (value: unknown) => typeof value === 'string';
const isDigest = (value: unknown) => typeof value === 'string' && fromHex(value)?.length === DIGEST_BYTES;

const FIELDS: Readonly<Record<keyof EntryLeaf, (value: unknown) => boolean>> = {
  actor_digest: isDigest,
  actor_id: (value) => value === null || isText(value),
  actor_kind: isText,
  at: isInstant,
  id: isText,
  payload_digest: isDigest,
  subject_id: isText,
  subject_kind: isText,
  subject_seq: Number.isSafeInteger,
  type: isText,
  version: Number.isSafeInteger,
};

/** Reads a leaf. Only the canonical form is accepted, because only that has the hash that is in the tree. */
export function parseLeaf(input: string | Uint8Array): EntryLeaf {
  const text = textOf(input, FORMAT, MAX_LEAF_BYTES);
  const value = parseObject(text);
  if (value['v'] !== LEAF_VERSION) throw new FormatError(FORMAT, `is not of version ${LEAF_VERSION}`);
  for (const [field, isValid] of Object.entries(FIELDS)) {
    if (!Object.hasOwn(value, field)) throw new FormatError(FORMAT, `has no ${field}`);
    if (!isValid(value[field])) throw new FormatError(FORMAT, `${field} is ${shown(JSON.stringify(value[field]))}`);
  }
  const { v, ...leaf } = value;
  const read = leaf as unknown as EntryLeaf;
  if (formatLeaf(read) !== text) throw new FormatError(FORMAT, 'is not canonical JSON');
  return read;
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    throw new FormatError(FORMAT, 'is not JSON');
  }
  throw new FormatError(FORMAT, 'is not a JSON object');
}

function isInstant(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const instant = new Date(value);
  return !Number.isNaN(instant.getTime()) && instant.toISOString() === value;
}
