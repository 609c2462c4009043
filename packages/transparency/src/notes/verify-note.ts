import { utf8 } from '../text.ts';
import { COSIGNATURE } from './algorithm.ts';
import { cosignedText, splitTime } from './cosigned-text.ts';
import { verifyEd25519 } from './ed25519.ts';
import type { VerifierKey } from './keys.ts';
import type { Note, NoteSignature } from './note.ts';

export interface VerifiedSignature {
  readonly key: VerifierKey;
  /** Of a cosignature, in seconds since 1970. */
  readonly time: number | undefined;
}

export interface NoteVerdict {
  readonly verified: readonly VerifiedSignature[];
  /** Known keys with a signature that is wrong. A note with any must be rejected as a whole. */
  readonly failed: readonly VerifierKey[];
}

/** Verifies the signatures of known keys; those of others are ignored. */
export async function verifyNote({ text, signatures }: Note, keys: readonly VerifierKey[]): Promise<NoteVerdict> {
  const verified: VerifiedSignature[] = [];
  const failed: VerifierKey[] = [];
  for (const signature of signatures) {
    for (const key of keys.filter(({ name, keyId }) => name === signature.name && keyId === signature.keyId)) {
      const valid = await verifySignature(text, signature, key);
      if (valid) verified.push(valid);
      else failed.push(key);
    }
  }
  return { verified, failed };
}

export async function verifySignature(
  text: string,
  { name, keyId, signature }: NoteSignature,
  key: VerifierKey,
): Promise<VerifiedSignature | undefined> {
  if (name !== key.name || keyId !== key.keyId) return undefined;
  if (key.algorithm !== COSIGNATURE)
    return (await verifyEd25519(key.publicKey, utf8(text), signature)) ? { key, time: undefined } : undefined;
  const timed = splitTime(signature);
  if (!timed) return undefined;
  const message = utf8(cosignedText(text, timed.time));
  return (await verifyEd25519(key.publicKey, message, timed.signature)) ? { key, time: timed.time } : undefined;
}
