import { TimeStampError } from './time-stamp-error.ts';

/** An element of DER, with its bytes. What has been read has not been verified. */
export interface Element {
  /** As it is written: 0x30 is a sequence, 0xa0 is [0] with elements in it. */
  readonly tag: number;
  /** With tag and length. */
  readonly raw: Uint8Array;
  readonly content: Uint8Array;
  /** None in a primitive element. */
  readonly children: readonly Element[];
}

export const TAGS = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Tokens have about 6 KB with their certificates. */
export const MAX_BYTES = 64 * 1024;
const MAX_DEPTH = 32;
const CONSTRUCTED = 0x20;
const LONG_TAG = 0x1f;
const LONG_LENGTH = 0x80;

/** Reads one element that the bytes are, up to their end. */
export function readElement(bytes: Uint8Array, what: string): Element {
  if (bytes.length > MAX_BYTES) throw new TimeStampError(`${what} has more than ${MAX_BYTES} bytes`);
  const { raw, ...element } = elementAt(bytes, 0, what);
  if (raw.length !== bytes.length) throw new TimeStampError(`${what} has bytes behind its end`);
  return { raw, ...element };
}

/** Only DER has one way to write everything, so that what is compared and signed is what is read. */
function elementAt(bytes: Uint8Array, depth: number, what: string): Element {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined || (tag & LONG_TAG) === LONG_TAG || depth > MAX_DEPTH)
    throw notDer(what);
  const digits = first < LONG_LENGTH ? 0 : first - LONG_LENGTH;
  let length = first;
  if (first >= LONG_LENGTH) {
    if (digits === 0 || digits > 3 || bytes[2] === 0 || bytes.length < 2 + digits) throw notDer(what);
    length = bytes.subarray(2, 2 + digits).reduce((value, digit) => value * 256 + digit, 0);
    if (length < LONG_LENGTH) throw notDer(what);
  }
  const start = 2 + digits;
  if (start + length > bytes.length) throw notDer(what);
  const content = bytes.subarray(start, start + length);
  const children: Element[] = [];
  if ((tag & CONSTRUCTED) !== 0) {
    for (let at = 0; at < content.length; ) {
      const child = elementAt(content.subarray(at), depth + 1, what);
      children.push(child);
      at += child.raw.length;
    }
  }
  return { tag, raw: bytes.subarray(0, start + length), content, children };
}

function notDer(what: string): TimeStampError {
  return new TimeStampError(`${what} is not DER`);
}
