/** Control characters, and those that change the writing direction: a name must not rearrange a text. */
const UNRULY = /[\p{Cc}\p{Zl}\p{Zp}\s\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** The text on one line. */
export function onOneLine(text: string): string {
  return text.toWellFormed().replaceAll(UNRULY, ' ').trim();
}

/** Cut at its end. */
export function cutEnd(text: string, max: number): string {
  return text.length <= max
    ? text
    : `${text
        .slice(0, max - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`;
}

/** Cut in its middle: names of artifacts differ at both ends. */
export function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.floor((max - 1) / 2);
  return `${cutEnd(text, half + 1)}${text
    .slice(-half)
    .toWellFormed()
    .replace(/^\ufffd/, '')}`;
}

/** The size of a text inside of JSON, in bytes, with its escapes. */
export function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** Cuts the middle until it fits. */
export function withinBytes(text: string, max: number): string {
  let shortened = cutMiddle(text, max);
  while (jsonBytes(shortened) > max) shortened = cutMiddle(shortened, Math.max(1, Math.floor(shortened.length * 0.8)));
  return shortened;
}
