import { type Element, TAGS } from './element.ts';
import { fieldsOf, malformed, oidOf } from './fields.ts';
import { TimeStampError } from './time-stamp-error.ts';

export type Digest = 'SHA-1' | 'SHA-256' | 'SHA-384' | 'SHA-512';

const DIGESTS: Readonly<Record<string, Digest>> = {
  '2.16.840.1.101.3.4.2.1': 'SHA-256',
  '2.16.840.1.101.3.4.2.2': 'SHA-384',
  '2.16.840.1.101.3.4.2.3': 'SHA-512',
};

export type SignatureAlgorithm =
  | { readonly kind: 'rsa'; readonly hash: Digest }
  | { readonly kind: 'rsa-pss'; readonly hash: Digest; readonly saltLength: number }
  | { readonly kind: 'ecdsa'; readonly hash: Digest }
  | { readonly kind: 'ed25519' };

const RSA = '1.2.840.113549.1.1.1';
const PSS = '1.2.840.113549.1.1.10';
const MGF1 = '1.2.840.113549.1.1.8';
const ED25519 = '1.3.101.112';
const WITH_DIGEST: Readonly<Record<string, SignatureAlgorithm>> = {
  '1.2.840.113549.1.1.11': { kind: 'rsa', hash: 'SHA-256' },
  '1.2.840.113549.1.1.12': { kind: 'rsa', hash: 'SHA-384' },
  '1.2.840.113549.1.1.13': { kind: 'rsa', hash: 'SHA-512' },
  '1.2.840.10045.4.3.2': { kind: 'ecdsa', hash: 'SHA-256' },
  '1.2.840.10045.4.3.3': { kind: 'ecdsa', hash: 'SHA-384' },
  '1.2.840.10045.4.3.4': { kind: 'ecdsa', hash: 'SHA-512' },
};

export interface AlgorithmIdentifier {
  readonly oid: string;
  readonly parameters: Element | undefined;
}

export function algorithmOf(element: Element | undefined, what: string): AlgorithmIdentifier {
  const fields = fieldsOf(element, what);
  const oid = oidOf(fields.next(TAGS.oid), what);
  const [, parameters] = element?.children ?? [];
  return { oid, parameters };
}

/** Collisions of SHA-1 are known, so it counts for nothing that somebody signs. */
export function digestOf(element: Element | undefined, what: string): Digest {
  const { oid } = algorithmOf(element, what);
  const digest = DIGESTS[oid];
  if (!digest) throw new TimeStampError(`${what} uses the digest ${oid}: only SHA-256, SHA-384, and SHA-512 count`);
  return digest;
}

/** `digest` is that of the signer, which the OID of plain RSA does not name. */
export function signatureAlgorithmOf(
  element: Element | undefined,
  what: string,
  digest: Digest | undefined,
): SignatureAlgorithm {
  const { oid, parameters } = algorithmOf(element, what);
  if (oid === RSA && digest) return { kind: 'rsa', hash: digest };
  if (oid === ED25519) return { kind: 'ed25519' };
  if (oid === PSS) return pssOf(parameters, what);
  const algorithm = WITH_DIGEST[oid];
  if (!algorithm) throw new TimeStampError(`${what} has a signature of the algorithm ${oid}, which does not count`);
  return algorithm;
}

function pssOf(parameters: Element | undefined, what: string): SignatureAlgorithm {
  const fields = fieldsOf(parameters, what);
  const hash = digestOf(fields.optional(0xa0)?.children[0], what);
  const mask = algorithmOf(fields.optional(0xa1)?.children[0], what);
  if (mask.oid !== MGF1 || digestOf(mask.parameters, what) !== hash) throw malformed(what);
  const [salt] = fields.optional(0xa2)?.children ?? [];
  const [length, ...more] = salt?.content ?? [];
  if (salt?.tag !== TAGS.integer || length === undefined || more.length > 0) throw malformed(what);
  return { kind: 'rsa-pss', hash, saltLength: length };
}
