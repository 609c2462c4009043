import { type Digest, digestOf } from './algorithms.ts';
import { readElement, TAGS } from './element.ts';
import { booleanOf, fieldsOf, integerOf, oidOf, timeOf } from './fields.ts';
import { TimeStampError } from './time-stamp-error.ts';

/** What an authority signs: that it saw a digest at a time. */
export interface TstInfo {
  /** OID of the policy under which it was issued. */
  readonly policy: string;
  readonly digest: Digest;
  readonly imprint: Uint8Array;
  /** In hex. */
  readonly serial: string;
  readonly at: Date;
  /** In hex. */
  readonly nonce: string | undefined;
  /** The subject of the certificate of the authority, if it names itself by that. */
  readonly authority: Uint8Array | undefined;
}

const WHAT = 'the time stamp';
const VERSION = '1';
const DIRECTORY_NAME = 0xa4;

export function parseTstInfo(input: Uint8Array): TstInfo {
  const fields = fieldsOf(readElement(input, WHAT), WHAT);
  const version = integerOf(fields.next(TAGS.integer), WHAT);
  if (version !== VERSION) throw new TimeStampError(`the time stamp has version ${version}, which is not supported`);
  const policy = oidOf(fields.next(TAGS.oid), WHAT);
  const imprint = fieldsOf(fields.next(TAGS.sequence), WHAT);
  const digest = digestOf(imprint.next(TAGS.sequence), WHAT);
  const hashed = imprint.next(TAGS.octetString).content;
  imprint.end();
  const serial = integerOf(fields.next(TAGS.integer), WHAT);
  const at = timeOf(fields.next(TAGS.generalizedTime), WHAT);
  // Accuracy and ordering are the authority's own claims, which no check here needs.
  fields.optional(TAGS.sequence);
  fields.optional(TAGS.boolean);
  const nonce = fields.optional(TAGS.integer);
  const name = fields.optional(0xa0)?.children[0];
  for (const extension of fields.optional(0xa1)?.children ?? []) {
    const critical = extension.children.find(({ tag }) => tag === TAGS.boolean);
    if (critical && booleanOf(critical, WHAT)) throw new TimeStampError('the time stamp has a critical extension');
  }
  fields.end();
  return {
    ...{ policy, digest, imprint: hashed, serial, at },
    nonce: nonce && integerOf(nonce, WHAT),
    authority: name?.tag === DIRECTORY_NAME ? name.children[0]?.raw : undefined,
  };
}
