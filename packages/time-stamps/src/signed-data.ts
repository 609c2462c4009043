import { type Digest, digestOf, type SignatureAlgorithm, signatureAlgorithmOf } from './algorithms.ts';
import { type Certificate, parseCertificate, subjectKeyOf } from './certificate.ts';
import { type Element, readElement, TAGS } from './element.ts';
import { fieldsOf, integerOf, oidOf, sameBytes } from './fields.ts';
import { TimeStampError } from './time-stamp-error.ts';

/** A token as in CMS: one signature over signed attributes, which hold the digest of the content. */
export interface SignedData {
  /** TSTInfo. */
  readonly content: Uint8Array;
  readonly certificates: readonly Certificate[];
  readonly signer: Certificate;
  readonly digest: Digest;
  readonly algorithm: SignatureAlgorithm;
  readonly signature: Uint8Array;
  /** In the form that is signed. */
  readonly signedAttributes: Uint8Array;
  /** The one value of each, by its OID. */
  readonly attributes: ReadonlyMap<string, Element>;
}

const WHAT = 'the token';
const SIGNED_DATA = '1.2.840.113549.1.7.2';
const TST_INFO = '1.2.840.113549.1.9.16.1.4';
const SUBJECT_KEY = 0x80;
const MAX_CERTIFICATES = 16;

export function parseSignedData(token: Uint8Array): SignedData {
  const info = fieldsOf(readElement(token, WHAT), WHAT);
  if (oidOf(info.next(TAGS.oid), WHAT) !== SIGNED_DATA) throw new TimeStampError('the token is not signed data');
  const [element] = info.next(0xa0).children;
  info.end();
  const fields = fieldsOf(element, WHAT);
  fields.next(TAGS.integer);
  const digests = fields.next(TAGS.set).children;
  const content = contentOf(fields.next(TAGS.sequence));
  const certificates = (fields.optional(0xa0)?.children ?? []).filter(({ tag }) => tag === TAGS.sequence);
  if (certificates.length > MAX_CERTIFICATES)
    throw new TimeStampError(`the token has more than ${MAX_CERTIFICATES} certificates`);
  fields.optional(0xa1);
  const signers = fields.next(TAGS.set).children;
  fields.end();
  const [signer] = signers;
  if (!signer || signers.length > 1) throw new TimeStampError(`the token has ${signers.length} signatures, not one`);
  const signed = signerOf(signer, certificates.map(parseCertificate));
  if (!digests.some((algorithm) => digestOf(algorithm, WHAT) === signed.digest))
    throw new TimeStampError('the token does not list the digest of its signature');
  return { content, ...signed };
}

function contentOf(element: Element): Uint8Array {
  const fields = fieldsOf(element, WHAT);
  if (oidOf(fields.next(TAGS.oid), WHAT) !== TST_INFO)
    throw new TimeStampError('the token does not contain a time stamp');
  const [content] = fields.next(0xa0).children;
  fields.end();
  if (content?.tag !== TAGS.octetString) throw new TimeStampError('the token does not contain a time stamp');
  return content.content;
}

function signerOf(element: Element, certificates: readonly Certificate[]): Omit<SignedData, 'content'> {
  const fields = fieldsOf(element, WHAT);
  fields.next(TAGS.integer);
  const signer = findSigner(fields.next(TAGS.sequence, SUBJECT_KEY), certificates);
  const digest = digestOf(fields.next(TAGS.sequence), WHAT);
  const attributes = fields.next(0xa0);
  const algorithm = signatureAlgorithmOf(fields.next(TAGS.sequence), WHAT, digest);
  const signature = fields.next(TAGS.octetString).content;
  fields.optional(0xa1);
  fields.end();
  // What is signed is a set, which is tagged as another thing here.
  const signedAttributes = Uint8Array.from(attributes.raw);
  signedAttributes[0] = TAGS.set;
  return { certificates, signer, digest, algorithm, signature, signedAttributes, attributes: attributesOf(attributes) };
}

function findSigner(id: Element, certificates: readonly Certificate[]): Certificate {
  const found = id.tag === SUBJECT_KEY ? byKey(id, certificates) : bySerial(id, certificates);
  if (!found) throw new TimeStampError('the token does not contain the certificate of its signer');
  return found;
}

function byKey({ content }: Element, certificates: readonly Certificate[]): Certificate | undefined {
  return certificates.find((certificate) => {
    const key = subjectKeyOf(certificate);
    return key !== undefined && sameBytes(key, content);
  });
}

function bySerial(id: Element, certificates: readonly Certificate[]): Certificate | undefined {
  const fields = fieldsOf(id, WHAT);
  const issuer = fields.next(TAGS.sequence).raw;
  const serial = integerOf(fields.next(TAGS.integer), WHAT);
  return certificates.find((certificate) => sameBytes(certificate.issuer, issuer) && certificate.serial === serial);
}

function attributesOf({ children }: Element): Map<string, Element> {
  const found = new Map<string, Element>();
  for (const attribute of children) {
    const fields = fieldsOf(attribute, WHAT);
    const oid = oidOf(fields.next(TAGS.oid), WHAT);
    const [value, ...others] = fields.next(TAGS.set).children;
    fields.end();
    if (!value || others.length > 0 || found.has(oid))
      throw new TimeStampError(`the token has the attribute ${oid} twice`);
    found.set(oid, value);
  }
  return found;
}
