/** Control characters, and those that turn the direction of what follows: a name must not rearrange a sentence. */
const UNRULY = /[\p{Cc}\p{Zl}\p{Zp}\s\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** The text on one line. */
export function onOneLine(text: string): string {
  return text.toWellFormed().replaceAll(UNRULY, ' ').trim();
}

/** Cut at its end. */
export function cutEnd(text: string, most: number): string {
  return text.length <= most
    ? text
    : `${text
        .slice(0, most - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`;
}

/** Cut in its middle: names of artifacts differ at both ends. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor((most - 1) / 2);
  return `${cutEnd(text, half + 1)}${text
    .slice(-half)
    .toWellFormed()
    .replace(/^\ufffd/, '')}`;
}

/** What a text costs inside of JSON, in bytes; quotes and what has no other form are escaped there. */
export function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** Cut in its middle until it costs no more than this. */
export function withinBytes(text: string, most: number): string {
  let kept = cutMiddle(text, most);
  while (jsonBytes(kept) > most) kept = cutMiddle(kept, Math.max(1, Math.floor(kept.length * 0.8)));
  return kept;
}
