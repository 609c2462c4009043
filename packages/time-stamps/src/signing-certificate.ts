import { type Digest, digestOf } from './algorithms.ts';
import type { Certificate } from './certificate.ts';
import { type Element, TAGS } from './element.ts';
import { fieldsOf, integerOf, sameBytes } from './fields.ts';
import type { SignedData } from './signed-data.ts';
import { TimeStampError } from './time-stamp-error.ts';
import { copyOf } from './verify-signature.ts';

const WHAT = 'the signed attribute with the certificate';
const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.12';
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';
const DIRECTORY_NAME = 0xa4;

/**
 * Verifies that the signature names the certificate that it is to be verified with, so that no other one with the same key
 * can take its place: by ESSCertIDv2 of RFC 5816, or by ESSCertID of RFC 3161, where the digest is SHA-1.
 */
export async function checkSigningCertificate({ attributes, signer }: SignedData): Promise<void> {
  const second = attributes.get(SIGNING_CERTIFICATE_V2);
  const named = second ?? attributes.get(SIGNING_CERTIFICATE);
  if (!named) throw new TimeStampError('the signature does not name the certificate of the signer');
  const list = fieldsOf(named, WHAT).next(TAGS.sequence);
  const fields = fieldsOf(list.children[0], WHAT);
  const algorithm = second && fields.optional(TAGS.sequence);
  const digest: Digest = second ? (algorithm ? digestOf(algorithm, WHAT) : 'SHA-256') : 'SHA-1';
  const hash = fields.next(TAGS.octetString).content;
  const issuerSerial = fields.optional(TAGS.sequence);
  fields.end();
  const expected = new Uint8Array(await crypto.subtle.digest(digest, copyOf(signer.raw)));
  if (!sameBytes(hash, expected) || (issuerSerial && !isOf(signer, issuerSerial)))
    throw new TimeStampError('the signature names another certificate than that of the signer');
}

function isOf(signer: Certificate, issuerSerial: Element): boolean {
  const fields = fieldsOf(issuerSerial, WHAT);
  const names = fields.next(TAGS.sequence).children;
  const serial = integerOf(fields.next(TAGS.integer), WHAT);
  fields.end();
  const isIssuer = names.some(
    ({ tag, children: [name] }) => tag === DIRECTORY_NAME && name && sameBytes(name.raw, signer.issuer),
  );
  return isIssuer && serial === signer.serial;
}
