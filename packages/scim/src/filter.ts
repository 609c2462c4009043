import { refuse } from './error.ts';

export type Comparison = { attribute: string; value: string | boolean };

const MAX_FILTER_LENGTH = 2000;
const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i;

// No two alternatives begin alike, so neither pattern can be tried in more than one way.
const CLAUSE =
  /([a-z][\w$:.-]*(?:\[type\s+eq\s+"work"\]\.value)?)\s+([a-z]+)\s+("(?:[^"\\]|\\.)*"|true(?!\w)|false(?!\w))\s*/iy;
const JOINER = /(and|or)\s+/iy;

/** One comparison, or several that are all joined by the same word. */
export function parseFilter(text: string, joiner: 'and' | 'or'): Comparison[] {
  if (text.length > MAX_FILTER_LENGTH)
    throw refuse('invalidFilter', `A filter can have at most ${MAX_FILTER_LENGTH} characters`);
  const source = text.trim();
  const comparisons: Comparison[] = [];
  let at = 0;
  while (comparisons.length === 0 || at < source.length) {
    if (comparisons.length > 0) at = pastJoiner(source, at, joiner);
    const clause = matchAt(CLAUSE, source, at);
    if (!clause) throw refuse('invalidFilter', `The filter is not understood at character ${at + 1}`);
    comparisons.push(toComparison(clause));
    at += clause[0].length;
  }
  return comparisons;
}

function pastJoiner(source: string, at: number, joiner: 'and' | 'or'): number {
  const join = matchAt(JOINER, source, at);
  if (join?.[1]?.toLowerCase() === joiner) return at + join[0].length;
  throw refuse('invalidFilter', `Comparisons can be joined only by '${joiner}'`);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function toComparison([, attribute = '', operator = '', literal = '']: RegExpExecArray): Comparison {
  if (operator.toLowerCase() !== 'eq')
    throw refuse('invalidFilter', `The operator '${operator}' is not supported; use 'eq'`);
  const name = attribute
    .replace(CORE, '')
    .replace(/\[.*\]/s, '')
    .toLowerCase();
  return { attribute: name, value: toValue(literal) };
}

function toValue(literal: string): string | boolean {
  if (!literal.startsWith('"')) return literal.toLowerCase() === 'true';
  const text = parseText(literal);
  // PostgreSQL takes neither a zero character nor half of a surrogate pair.
  if (text.includes('\u0000') || !text.isWellFormed()) {
    throw refuse('invalidFilter', 'A text in the filter contains a character that is not allowed');
  }
  return text;
}

function parseText(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    throw refuse('invalidFilter', 'A text in the filter is not a valid JSON string');
  }
}
