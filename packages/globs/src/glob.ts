const STAR = '*';
const STARS = '**';
/** What `*` does not match: an identity is a path with a ref behind an @. */
const ENDS_A_PART = /[/@]/;

/**
 * Compiles a pattern that is matched over the whole text, with case: `*` is any text within one part, which `/` and `@`
 * end, and `**` is any text. Takes time in proportion to the length of both, whatever the pattern.
 */
export function compileGlob(pattern: string): (text: string) => boolean {
  const start = pattern.indexOf(STAR);
  if (start < 0) return (text) => text === pattern;
  const prefix = pattern.slice(0, start);
  const tokens = tokensOf(pattern.slice(start));
  return (text) => text.startsWith(prefix) && matches(tokens, text.slice(prefix.length));
}

/** Whether the text is one of a glob or several. */
export function compileGlobs(patterns: string | readonly string[]): (text: string) => boolean {
  const compiled = [patterns].flat().map(compileGlob);
  return (text) => compiled.some((matches) => matches(text));
}

function tokensOf(pattern: string): string[] {
  return pattern.match(/\*\*|./gsu) ?? [];
}

/** Follows all ways to match at once; a place is the number of tokens that are behind. */
function matches(tokens: readonly string[], text: string): boolean {
  let places = withoutStars(tokens, new Set([0]));
  for (const character of text) {
    const next = new Set<number>();
    for (const place of places) {
      const token = tokens[place];
      if (token === STARS || (token === STAR && !ENDS_A_PART.test(character))) next.add(place);
      else if (token === character && token !== STAR) next.add(place + 1);
    }
    if (next.size === 0) return false;
    places = withoutStars(tokens, next);
  }
  return places.has(tokens.length);
}

/** A star may match nothing. */
function withoutStars(tokens: readonly string[], places: Set<number>): Set<number> {
  for (const place of places) {
    const token = tokens[place];
    if (token === STAR || token === STARS) places.add(place + 1);
  }
  return places;
}
