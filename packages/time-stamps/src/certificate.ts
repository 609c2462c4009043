import { type SignatureAlgorithm, signatureAlgorithmOf } from './algorithms.ts';
import { type Element, readElement, TAGS } from './element.ts';
import { bitsOf, booleanOf, bytesOfBits, fieldsOf, integerOf, malformed, oidOf, sameBytes, timeOf } from './fields.ts';
import { isSignedBy } from './verify-signature.ts';

/** An X.509 certificate, of which only the form was checked. */
export interface Certificate {
  readonly raw: Uint8Array;
  readonly tbs: Uint8Array;
  readonly serial: string;
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  /** The common name, or else the organization. */
  readonly name: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly publicKey: Element;
  readonly extensions: ReadonlyMap<string, Extension>;
  readonly algorithm: SignatureAlgorithm;
  readonly signature: Uint8Array;
}

interface Extension {
  readonly isCritical: boolean;
  readonly value: Uint8Array;
}

const WHAT = 'the certificate';
const NAMES = ['2.5.4.3', '2.5.4.10', '2.5.4.11'];
const EXTENSION = { keyUsage: '2.5.29.15', basicConstraints: '2.5.29.19', extendedKeyUsage: '2.5.29.37' } as const;
const SUBJECT_KEY = '2.5.29.14';
/** What is checked here, and policies, which restrict nothing as long as none is demanded. */
const KNOWN: readonly string[] = [...Object.values(EXTENSION), '2.5.29.32'];

export function parseCertificate(input: Element): Certificate {
  const fields = fieldsOf(input, WHAT);
  const tbs = fields.next(TAGS.sequence);
  const algorithm = fields.next(TAGS.sequence);
  const signature = bytesOfBits(fields.next(TAGS.bitString), WHAT);
  fields.end();
  const inner = fieldsOf(tbs, WHAT);
  inner.optional(0xa0);
  const serial = integerOf(inner.next(TAGS.integer), WHAT);
  if (!sameBytes(inner.next(TAGS.sequence).raw, algorithm.raw)) throw malformed(WHAT);
  const issuer = inner.next(TAGS.sequence);
  const validity = fieldsOf(inner.next(TAGS.sequence), WHAT);
  const subject = inner.next(TAGS.sequence);
  const publicKey = inner.next(TAGS.sequence);
  inner.optional(0x81);
  inner.optional(0x82);
  const extensions = inner.optional(0xa3)?.children[0];
  inner.end();
  const times = [TAGS.utcTime, TAGS.generalizedTime];
  return {
    raw: input.raw,
    tbs: tbs.raw,
    serial,
    issuer: issuer.raw,
    subject: subject.raw,
    name: nameOf(subject),
    notBefore: timeOf(validity.next(...times), WHAT),
    notAfter: timeOf(validity.next(...times), WHAT),
    publicKey,
    extensions: extensions ? extensionsOf(extensions) : new Map(),
    algorithm: signatureAlgorithmOf(algorithm, WHAT, undefined),
    signature,
  };
}

function extensionsOf(list: Element): Map<string, Extension> {
  const found = new Map<string, Extension>();
  for (const extension of list.children) {
    const fields = fieldsOf(extension, WHAT);
    const oid = oidOf(fields.next(TAGS.oid), WHAT);
    const critical = fields.optional(TAGS.boolean);
    const value = fields.next(TAGS.octetString).content;
    fields.end();
    if (found.has(oid)) throw malformed(WHAT);
    found.set(oid, { isCritical: critical !== undefined && booleanOf(critical, WHAT), value });
  }
  return found;
}

function nameOf(subject: Element): string {
  const parts = subject.children
    .flatMap(({ children }) => children)
    .map(({ children: [type, value] }) => ({ type, value }));
  for (const wanted of NAMES) {
    const found = parts.findLast(({ type }) => type?.tag === TAGS.oid && oidOf(type, WHAT) === wanted)?.value;
    if (found) return textOf(found.content);
  }
  return 'an authority without a name';
}

/** Names are shown to people: without control characters, and not endlessly long. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/\p{C}/gu, ' ').trim().slice(0, 200);
}

/** Returns which key usages the certificate permits, by their bit; undefined if it does not say. */
export function keyUsageOf({ extensions }: Certificate): readonly number[] | undefined {
  const usage = extensions.get(EXTENSION.keyUsage);
  return usage && bitsOf(readElement(usage.value, WHAT));
}

export function extendedKeyUsageOf({ extensions }: Certificate) {
  const usage = extensions.get(EXTENSION.extendedKeyUsage);
  if (!usage) return undefined;
  const purposes = readElement(usage.value, WHAT).children.map((purpose) => oidOf(purpose, WHAT));
  return { isCritical: usage.isCritical, purposes };
}

export function basicConstraintsOf({ extensions }: Certificate): { isCa: boolean; pathLength: number } {
  const constraints = extensions.get(EXTENSION.basicConstraints);
  if (!constraints) return { isCa: false, pathLength: 0 };
  const fields = fieldsOf(readElement(constraints.value, WHAT), WHAT);
  const isCa = fields.optional(TAGS.boolean);
  const length = fields.optional(TAGS.integer);
  fields.end();
  return {
    isCa: isCa !== undefined && booleanOf(isCa, WHAT),
    pathLength: length ? Number.parseInt(integerOf(length, WHAT), 16) : Number.POSITIVE_INFINITY,
  };
}

export function subjectKeyOf({ extensions }: Certificate): Uint8Array | undefined {
  const key = extensions.get(SUBJECT_KEY);
  return key && readElement(key.value, WHAT).content;
}

/** Returns a critical extension that is not understood here, which forbids to rely on the certificate. */
export function unknownExtensionOf({ extensions }: Certificate): string | undefined {
  return [...extensions].find(([oid, { isCritical }]) => isCritical && !KNOWN.includes(oid))?.[0];
}

export function isIssuedBy(certificate: Certificate, issuer: Certificate): Promise<boolean> {
  const { tbs, algorithm, signature } = certificate;
  return isSignedBy({ publicKey: issuer.publicKey, algorithm, signature, data: tbs }, WHAT);
}
