import { type Element, TAGS } from './element.ts';
import { TimeStampError } from './time-stamp-error.ts';

/** Reads the elements of a sequence in their order, where optional ones may be left out. */
export interface Fields {
  /** Returns the next element, which must have one of these tags. */
  next(...tags: readonly number[]): Element;
  /** Returns the next element if it has this tag. */
  optional(tag: number): Element | undefined;
  /** Fails if an element has not been read. */
  end(): void;
}

export function fieldsOf(element: Element | undefined, what: string, tag: number = TAGS.sequence): Fields {
  if (element?.tag !== tag) throw malformed(what);
  const { children } = element;
  let at = 0;
  return {
    next(...tags) {
      const child = children[at];
      if (!child || (tags.length > 0 && !tags.includes(child.tag))) throw malformed(what);
      at += 1;
      return child;
    },
    optional(tag) {
      const child = children[at];
      if (child?.tag !== tag) return undefined;
      at += 1;
      return child;
    },
    end() {
      if (at !== children.length) throw malformed(what);
    },
  };
}

export function malformed(what: string): TimeStampError {
  return new TimeStampError(`${what} does not have the form that its standard demands`);
}

export function oidOf({ content }: Element, what: string): string {
  const arcs: number[] = [];
  let value = 0;
  for (const [i, byte] of content.entries()) {
    value = value * 128 + (byte & 0x7f);
    if (value > Number.MAX_SAFE_INTEGER) throw malformed(what);
    if (byte & 0x80) {
      if (i === content.length - 1) throw malformed(what);
      continue;
    }
    arcs.push(value);
    value = 0;
  }
  const [first, ...others] = arcs;
  if (first === undefined) throw malformed(what);
  const top = Math.min(2, Math.floor(first / 40));
  return [top, first - top * 40, ...others].join('.');
}

/** Returns an integer as a hex number, such as `1f` or `-5`, so that large ones are compared as they are. */
export function integerOf({ content }: Element, what: string): string {
  const [first] = content;
  if (first === undefined) throw malformed(what);
  const value = BigInt(`0x${hexOf(content)}`);
  return (first & 0x80 ? value - (1n << BigInt(8 * content.length)) : value).toString(16);
}

export function booleanOf({ content }: Element, what: string): boolean {
  if (content.length !== 1 || (content[0] !== 0x00 && content[0] !== 0xff)) throw malformed(what);
  return content[0] === 0xff;
}

/** Returns the bytes of a bit string in which no bit is unused. */
export function bytesOfBits({ content }: Element, what: string): Uint8Array {
  if (content[0] !== 0) throw malformed(what);
  return content.subarray(1);
}

/** Returns the bits that are set, by their position from the left. */
export function bitsOf({ content }: Element): number[] {
  return [...content.subarray(1)].flatMap((byte, i) =>
    [0, 1, 2, 3, 4, 5, 6, 7].flatMap((bit) => (byte & (0x80 >> bit) ? [8 * i + bit] : [])),
  );
}

/** Returns a time in UTC: two digits of a year are of 1950 to 2049, as in certificates. */
export function timeOf({ tag, content }: Element, what: string): Date {
  const text = String.fromCharCode(...content);
  const pattern = tag === TAGS.utcTime ? /^(\d\d)((?:\d\d){5})Z$/ : /^(\d{4})((?:\d\d){5})(?:\.(\d{1,9}))?Z$/;
  const [, year, rest, fraction = ''] = pattern.exec(text) ?? [];
  if (year === undefined || rest === undefined) throw malformed(what);
  const [month, day, hour, minute, second] = rest.match(/\d\d/g) ?? [];
  const century = year.length === 4 ? '' : Number(year) < 50 ? '20' : '19';
  const iso = `${century}${year}-${month}-${day}T${hour}:${minute}:${second}.${`${fraction}000`.slice(0, 3)}Z`;
  const time = new Date(iso);
  // A date such as 31 February would become one of March.
  if (Number.isNaN(time.getTime()) || time.toISOString() !== iso) throw malformed(what);
  return time;
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
