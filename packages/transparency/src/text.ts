import { FormatError } from './format-error.ts';

const MAX_SHOWN_LENGTH = 60;
const FIRST_PRINTABLE = 0x20;
const NEWLINE = 0x0a;

/** Returns a text as it can be quoted in a message. */
export function shown(text: string): string {
  const cut = text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
  return `'${cut.toWellFormed().replaceAll(/\p{Cc}/gu, '\u{FFFD}')}'`;
}

/** Returns the text of a file: at most so many bytes, and valid UTF-8. */
export function textOf(input: string | Uint8Array, format: string, maxBytes: number): string {
  const tooLong = () => new FormatError(format, `is longer than ${maxBytes} bytes`);
  if (input.length > maxBytes) throw tooLong();
  if (typeof input === 'string') {
    if (!input.isWellFormed()) throw new FormatError(format, 'is not valid UTF-8');
    if (utf8(input).length > maxBytes) throw tooLong();
    return input;
  }
  try {
    // A byte order mark stays: it is a character like any other, and signed like any other.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(input);
  } catch {
    throw new FormatError(format, 'is not valid UTF-8');
  }
}

/** Returns the place of the first control character other than a newline, or -1. */
export function controlAt(text: string): number {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < FIRST_PRINTABLE && code !== NEWLINE) return i;
  }
  return -1;
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Returns the text of a file, as `textOf` does, that has no control characters but newlines. */
export function linesTextOf(input: string | Uint8Array, format: string, maxBytes: number): string {
  const text = textOf(input, format, maxBytes);
  const control = controlAt(text);
  if (control !== -1) throw new FormatError(format, 'has a control character', lineAt(text, control));
  return text;
}

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** Returns the number that decimal digits stand for, or nothing: no sign, no leading zeros, no more than is exact. */
export function decimalOf(text: string): number | undefined {
  if (!/^(?:0|[1-9][0-9]{0,15})$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}
