import { type Element, readElement, TAGS } from './element.ts';
import { bitsOf, fieldsOf, integerOf } from './fields.ts';
import { TimeStampError } from './time-stamp-error.ts';
import { copyOf } from './verify-signature.ts';
import { type TimeStamp, type Trust, verifyToken } from './verify-token.ts';
import { der, derOid } from './write-der.ts';

export const REQUEST_TYPE = 'application/timestamp-query';
export const RESPONSE_TYPE = 'application/timestamp-reply';

const SHA_256 = '2.16.840.1.101.3.4.2.1';
const VERSION = 1;
const TRUE = 0xff;
const NONCE_BYTES = 16;
const WHAT = 'the response';
const GRANTED = ['0', '1'];
const STATUSES: Readonly<Record<string, string>> = {
  '2': 'rejected the request',
  '3': 'will answer later, which is not supported',
  '4': 'warns that a certificate is about to be revoked',
  '5': 'revoked a certificate',
};
const FAILURES: Readonly<Record<number, string>> = {
  0: 'the digest is not supported',
  2: 'the request is not permitted',
  5: 'the request is malformed',
  14: 'its clock is not available',
  15: 'the policy is not supported',
  16: 'an extension is not supported',
  17: 'additional information is not available',
  25: 'it has an internal failure',
};

export interface TimeStampRequest {
  /** DER, to be sent with the content type `REQUEST_TYPE`. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly message: Uint8Array;
  /** In hex. */
  readonly nonce: string;
}

/** Makes a request for a time stamp over a message, with a random nonce, that demands the certificate of the authority. */
export async function createRequest(message: Uint8Array, policy?: string): Promise<TimeStampRequest> {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  // Positive, and of the full length, so that there is one way to write it.
  nonce[0] = ((nonce[0] ?? 0) & 0x3f) | 0x40;
  const hashed = new Uint8Array(await crypto.subtle.digest('SHA-256', copyOf(message)));
  const algorithm = der(TAGS.sequence, derOid(SHA_256), der(TAGS.null));
  const bytes = der(
    TAGS.sequence,
    der(TAGS.integer, Uint8Array.of(VERSION)),
    der(TAGS.sequence, algorithm, der(TAGS.octetString, hashed)),
    ...(policy === undefined ? [] : [derOid(policy)]),
    der(TAGS.integer, nonce),
    der(TAGS.boolean, Uint8Array.of(TRUE)),
  );
  const hex = Array.from(nonce, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { bytes, message, nonce: hex };
}

/** Verifies the response of an authority to this request, and returns the token in it. */
export async function openResponse(
  response: Uint8Array,
  { message, nonce }: TimeStampRequest,
  trust: Trust,
): Promise<TimeStamp & { readonly token: Uint8Array }> {
  const fields = fieldsOf(readElement(response, WHAT), WHAT);
  checkStatus(fields.next(TAGS.sequence));
  const token = fields.next(TAGS.sequence).raw;
  fields.end();
  const stamp = await verifyToken(token, message, trust);
  // Without it, an older response over the same message would count.
  if (stamp.nonce !== nonce) throw new TimeStampError('the response is to another request: its nonce differs');
  return { ...stamp, token: copyOf(token) };
}

function checkStatus(info: Element): void {
  const fields = fieldsOf(info, WHAT);
  const status = integerOf(fields.next(TAGS.integer), WHAT);
  if (GRANTED.includes(status)) return;
  const text = fields.optional(TAGS.sequence)?.children[0];
  const failure = fields.optional(TAGS.bitString);
  const reasons = failure ? bitsOf(failure).map((bit) => FAILURES[bit] ?? `failure ${bit}`) : [];
  if (text) reasons.push(new TextDecoder().decode(text.content).replace(/\p{C}/gu, ' ').slice(0, 200));
  const what = STATUSES[status] ?? `responded with status ${status}`;
  throw new TimeStampError(`the authority ${what}${reasons.length > 0 ? `: ${reasons.join('; ')}` : ''}`);
}
