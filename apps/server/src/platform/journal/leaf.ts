import { createHash, createHmac } from 'node:crypto';

/** What an entry leaves in the ledger for ever, whatever is erased of it later. */
export interface LeafSource {
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly recorded_at: Date;
  readonly actor_kind: string;
  readonly actor_id: string | null;
  readonly actor_name: string;
  /** Set once the nonce has been erased. */
  readonly actor_digest: Buffer | null;
  readonly nonce: Buffer | null;
  readonly subject_kind: string;
  readonly subject_id: string;
  readonly subject_seq: number;
  readonly payload_digest: Buffer;
}

const LEAF_VERSION = 1;
/** RFC 6962 hashes leaves and nodes with different prefixes, so that neither can be taken for the other. */
const LEAF_PREFIX = Buffer.of(0);

/**
 * The canonical JSON of an entry's leaf, with its keys in order. Names are personal data: the leaf has a digest of the
 * actor's name, keyed with the nonce of the entry.
 */
export function leafOf(entry: LeafSource): string {
  return JSON.stringify({
    actor_digest: actorDigestOf(entry).toString('hex'),
    actor_id: entry.actor_id,
    actor_kind: entry.actor_kind,
    at: entry.recorded_at.toISOString(),
    id: entry.id,
    payload_digest: entry.payload_digest.toString('hex'),
    subject_id: entry.subject_id,
    subject_kind: entry.subject_kind,
    subject_seq: entry.subject_seq,
    type: entry.type,
    v: LEAF_VERSION,
    version: entry.version,
  });
}

export function leafHashOf(entry: LeafSource): Buffer {
  return createHash('sha256').update(LEAF_PREFIX).update(leafOf(entry)).digest();
}

export function actorDigestOf({
  actor_name,
  actor_digest,
  nonce,
}: Pick<LeafSource, 'actor_name' | 'actor_digest' | 'nonce'>): Buffer {
  if (actor_digest) return actor_digest;
  if (!nonce) throw new Error('an entry has neither a nonce nor the digest of its actor');
  return createHmac('sha256', nonce).update(actor_name).digest();
}
