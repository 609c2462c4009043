import { isBundleWithPublicKey } from '@sigstore/bundle';
import { documentText } from './document-text.ts';
import { Envelope } from './dsse.ts';
import { checkIdentities } from './identity-signature.ts';
import { isObject, parseJson } from './json-document.ts';
import { checkKeys } from './key-signature.ts';
import { shaped } from './shape.ts';
import { isSigstoreBundle, readSigstoreBundle } from './sigstore-bundle.ts';
import type { InTotoStatement } from './statement.ts';
import { readStatement, refuseOtherSubject } from './statement.ts';
import type { Check, Signer, Trust, Unproven } from './trust.ts';
import { Unreadable } from './unreadable.ts';

export type Verified =
  | { verified: true; by: Signer; statement: InTotoStatement }
  | (Unproven & { statement: InTotoStatement });

const NAME = 'The attestation';

/**
 * Throws `Unreadable` for anything but an envelope with an in-toto statement, and for a statement about another digest.
 * An untrusted or wrong signature is a result and not an error.
 */
export function verifyInToto(file: { bytes: Uint8Array }, trust: Trust, fingerprint: string): Verified {
  const { envelope, check } = readSigned(readOneDocument(file.bytes), trust);
  const statement = readStatement(`${NAME}: payload`, envelope.payload);
  refuseOtherSubject(NAME, statement, fingerprint);
  return { ...check(), statement };
}

/** The check is deferred, so that nothing is verified for a statement that is refused anyway. */
function readSigned(document: unknown, trust: Trust): { envelope: Envelope; check: () => Check } {
  if (isObject(document) && isSigstoreBundle(document)) {
    const { envelope, bundle } = readSigstoreBundle(NAME, document);
    if (!isBundleWithPublicKey(bundle)) return { envelope, check: () => checkIdentities(bundle, trust.identities) };
    const { hint } = bundle.verificationMaterial.content.publicKey;
    const hinted = { ...envelope, signatures: envelope.signatures.map(({ sig }) => ({ sig, keyid: hint })) };
    return { envelope, check: () => checkKeys(hinted, trust.keys) };
  }
  if (!isObject(document) || !('payloadType' in document)) {
    throw new Unreadable(`${NAME}: is neither a DSSE envelope (no "payloadType") nor a Sigstore bundle.`);
  }
  const envelope = shaped(NAME, Envelope, document);
  return { envelope, check: () => checkKeys(envelope, trust.keys) };
}

function readOneDocument(bytes: Uint8Array): unknown {
  const text = documentText({ name: NAME, bytes });
  try {
    return parseJson(NAME, text);
  } catch (error) {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    if (lines.length > 1 && lines.every(isObjectText)) {
      throw new Unreadable(`${NAME}: contains ${lines.length} envelopes, one on each line; send one at a time.`, {
        cause: error,
      });
    }
    throw error;
  }
}

function isObjectText(line: string): boolean {
  const text = line.trim();
  return text.startsWith('{') && text.endsWith('}');
}
