const MEMBER = String.raw`(?:\\.|[^\\\]-])`;
const RANGE = new RegExp(`(${MEMBER})(?:-(${MEMBER}))?`, 'gsu');
const TOKEN = new RegExp(String.raw`\*|\?|\[(\^|(?!\^))((?:${MEMBER}(?:-${MEMBER})?)+)\]|(\\.|[^*?[\\])`, 'gsu');

export function isPattern(text: string): boolean {
  return /[*?[\\]/.test(text);
}

/**
 * Matches one name as Go's path/filepath does: "*", "?", "[a-z]", "[^a-z]", and "\" before what is meant as it is.
 * Node's own globs leave out names that begin with a dot and know braces and "[!a]", so the same exclusions would make
 * another fingerprint than they do in other clients. Undefined if nothing closes a "[" or "\".
 */
export function segmentPattern(segment: string): RegExp | undefined {
  let read = 0;
  const parts = Array.from(segment.matchAll(TOKEN), ({ index, 0: token, 1: not, 2: ranges, 3: literal }) => {
    if (index === read) read += token.length;
    if (ranges !== undefined) return `[${not}${rangesOf(ranges)}]`;
    if (literal !== undefined) return `\\u{${codeOf(literal).toString(16)}}`;
    return token === '*' ? '[^/]*' : '[^/]';
  });
  return read < segment.length ? undefined : new RegExp(`^${parts.join('')}$`, 'u');
}

/** A range that runs backwards holds nothing, which a regular expression cannot say. */
function rangesOf(ranges: string): string {
  return Array.from(ranges.matchAll(RANGE), ({ 1: low = '', 2: high = low }) =>
    codeOf(low) <= codeOf(high) ? `\\u{${codeOf(low).toString(16)}}-\\u{${codeOf(high).toString(16)}}` : '',
  ).join('');
}

function codeOf(character: string): number {
  return (character.length > 1 && character.startsWith('\\') ? character.slice(1) : character).codePointAt(0) ?? 0;
}
