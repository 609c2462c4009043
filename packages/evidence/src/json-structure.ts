import { quoted } from './shorten.ts';

export interface StructureFault {
  offset: number;
  message: string;
}

const DEEPEST = 64;
const MAX_KEYS = 50_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const WHITESPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * Detects what a JSON parser would accept although it exhausts or misleads: deep nesting, and duplicate keys, which
 * readers resolve differently. Syntax is the parser's business.
 */
export function findStructureFault(text: string): StructureFault | undefined {
  // The keys of each open object; undefined before its first key, and for lists.
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (OPENING.has(code) && open.push(undefined) > DEEPEST) {
      return { offset: at, message: `is nested deeper than ${DEEPEST} levels` };
    }
    if (CLOSING.has(code)) open.pop();
    if (code !== QUOTE) continue;
    const end = endOfString(text, at);
    const message = isKey(text, end) ? addKey(open, unescaped(text.slice(at, end + 1))) : undefined;
    if (message) return { offset: at, message };
    at = end;
  }
  return undefined;
}

function addKey(open: (Set<string> | undefined)[], key: string): string | undefined {
  if (open.length === 0) return undefined;
  const keys = open.at(-1) ?? new Set<string>();
  if (keys.has(key)) return `has the key ${quoted(key)} twice in one object`;
  open[open.length - 1] = keys.add(key);
  return keys.size > MAX_KEYS ? `has more than ${MAX_KEYS} keys in one object` : undefined;
}

function isKey(text: string, end: number): boolean {
  let next = end + 1;
  while (WHITESPACE.has(text.charCodeAt(next))) next += 1;
  return text.charCodeAt(next) === COLON;
}

/** The last character of the text if the string is unterminated. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length - 1 : end;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}

function unescaped(literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, -1);
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal;
  }
}
