import { createHash } from 'node:crypto';

const LEAF_VERSION = 1;

/**
 * The leaf of an entry: canonical JSON, as bytes. An expression over columns of `journal`, because the pass that needs its
 * hash would otherwise move a thousand entries to this process and back. No value can contain a character that JSON
 * escapes. Names are personal data: the leaf has only their digest.
 */
export const LEAF = `convert_to(concat(
  '{"actor_digest":"', encode(coalesce(journal.actor_digest, sha256(journal.nonce || convert_to(journal.actor_name, 'UTF8'))), 'hex'),
  '","actor_id":', coalesce('"' || journal.actor_id || '"', 'null'),
  ',"actor_kind":"', journal.actor_kind,
  '","at":"', to_char(journal.recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  '","id":"', journal.id,
  '","payload_digest":"', encode(journal.payload_digest, 'hex'),
  '","subject_id":"', journal.subject_id,
  '","subject_kind":"', journal.subject_kind,
  '","subject_seq":', journal.subject_seq,
  ',"type":"', journal.type,
  '","v":${LEAF_VERSION},"version":', journal.version, '}'), 'UTF8')`;

/**
 * What an entry leaves in the ledger for ever, whatever is erased of it later: SHA-256 of its leaf, as RFC 6962 hashes
 * it, with a zero byte in front.
 */
export const LEAF_HASH = `sha256('\\x00' || ${LEAF})`;

/**
 * The digest of an actor's name. The random nonce in front keeps a short name from being guessed, once the nonce is
 * erased.
 */
export function actorDigest(nonce: Buffer, name: string): Buffer {
  return createHash('sha256').update(nonce).update(name).digest();
}
