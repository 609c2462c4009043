import type { Scalar } from 'yaml';

const BLANKS = /[ \t\n\r]+/g;
const BLANK = ' \t\n\r';
const ESCAPE_LENGTHS: Record<string, number> = { x: 4, u: 6, U: 10 };
/** Escapes of characters that count as white space, and an escaped end of line, which stands for nothing. */
const BLANK_ESCAPES = 'nrt \t\n\r';

/**
 * Tells where the character at an index of a text was written. Folding, indentation and quotes change white space only,
 * so the n-th character that is none is the n-th in the source as well. White space is placed where it ends.
 */
export function offsetsWithin(source: string, scalar: Scalar, value: string): (index: number) => number {
  let offsets: number[] | undefined;
  return (index) => {
    offsets ??= solidOffsets(source, scalar);
    const solidBefore = value.slice(0, index).replaceAll(BLANKS, '').length;
    const [start = 0] = scalar.range ?? [];
    return offsets[solidBefore] ?? (offsets.at(-1) ?? start) + 1;
  };
}

function solidOffsets(source: string, scalar: Scalar): number[] {
  const [start = 0, end = 0] = scalar.range ?? [];
  switch (scalar.type) {
    case 'QUOTE_DOUBLE':
      return offsetsOf(source, start + 1, end - 1, escapedUnit);
    case 'QUOTE_SINGLE':
      return offsetsOf(source, start + 1, end - 1, doubledQuote);
    case 'BLOCK_FOLDED':
    case 'BLOCK_LITERAL':
      return offsetsOf(source, source.indexOf('\n', start), end, plainUnit);
    default:
      return offsetsOf(source, start, end, plainUnit);
  }
}

/** How much of the source one step takes, and how many characters of the value that makes. */
interface Unit {
  readonly length: number;
  readonly solid: number;
}

function offsetsOf(source: string, start: number, end: number, unitAt: (source: string, at: number) => Unit): number[] {
  const offsets: number[] = [];
  for (let at = start; at < end; ) {
    const { length, solid } = unitAt(source, at);
    for (let count = 0; count < solid; count++) offsets.push(at);
    at += length;
  }
  return offsets;
}

function plainUnit(source: string, at: number): Unit {
  return { length: 1, solid: BLANK.includes(source[at] ?? '') ? 0 : 1 };
}

function doubledQuote(source: string, at: number): Unit {
  return source.startsWith("''", at) ? { length: 2, solid: 1 } : plainUnit(source, at);
}

function escapedUnit(source: string, at: number): Unit {
  if (source[at] !== '\\') return plainUnit(source, at);
  const letter = source[at + 1] ?? '';
  const length = ESCAPE_LENGTHS[letter] ?? 2;
  if (length === 2) return { length, solid: BLANK_ESCAPES.includes(letter) ? 0 : 1 };
  const code = Number.parseInt(source.slice(at + 2, at + length), 16);
  if (BLANK.includes(String.fromCharCode(code))) return { length, solid: 0 };
  return { length, solid: code > 0xffff ? 2 : 1 };
}
