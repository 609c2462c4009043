import { TAGS } from './element.ts';

/** Writes one element. Its content has less than 128 bytes: no more is needed for a request. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const content = parts.flatMap((part) => [...part]);
  if (content.length > 0x7f) throw new RangeError('the content is too long for an element of a request');
  return Uint8Array.of(tag, content.length, ...content);
}

export function derOid(oid: string): Uint8Array {
  const [top = 0, second = 0, ...others] = oid.split('.').map(Number);
  const bytes = [40 * top + second, ...others].flatMap((arc) => {
    const digits = [arc % 128];
    for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) digits.unshift((rest % 128) + 128);
    return digits;
  });
  return der(TAGS.oid, Uint8Array.from(bytes));
}
