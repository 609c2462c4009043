const NUL = '\u0000';

/** At most `longest` characters, and nothing that a database refuses to store as text. */
export function shorten(text: string, longest: number): string {
  const kept = text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
  return kept.replaceAll(NUL, '\uFFFD').toWellFormed();
}

const LONGEST_QUOTE = 200;

export function quoted(text: string): string {
  return JSON.stringify(shorten(text, LONGEST_QUOTE));
}
