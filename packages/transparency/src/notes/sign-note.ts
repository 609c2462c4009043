import { concatBytes } from '../bytes.ts';
import { utf8 } from '../text.ts';
import { COSIGNATURE, ED25519 } from './algorithm.ts';
import { cosignedText, timeBytes } from './cosigned-text.ts';
import { signEd25519 } from './ed25519.ts';
import type { SigningKey, VerifierKey } from './keys.ts';
import type { NoteSignature } from './note.ts';

/** Signs with a private key that is elsewhere, such as in a KMS. */
export interface Signer {
  readonly key: VerifierKey;
  /** Returns the 64 bytes of an Ed25519 signature. */
  readonly sign: (message: Uint8Array) => Promise<Uint8Array>;
}

export function signerOf(key: SigningKey): Signer {
  return { key, sign: (message) => signEd25519(key.seed, message) };
}

/** Signs the text of a note, such as a checkpoint by its log. */
export async function signNote(text: string, { key, sign }: Signer): Promise<NoteSignature> {
  if (key.algorithm !== ED25519) throw new RangeError(`${key.name} signs with a time: use cosign`);
  return { name: key.name, keyId: key.keyId, signature: await sign(utf8(text)) };
}

/** Cosigns the text of a checkpoint as a witness does, with the time in seconds since 1970. */
export async function cosign(text: string, { key, sign }: Signer, time: number): Promise<NoteSignature> {
  if (key.algorithm !== COSIGNATURE) throw new RangeError(`${key.name} signs without a time: use signNote`);
  const signature = await sign(utf8(cosignedText(text, time)));
  return { name: key.name, keyId: key.keyId, signature: concatBytes(timeBytes(time), signature) };
}
