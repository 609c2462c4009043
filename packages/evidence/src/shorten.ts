const NUL = '\u0000';

/** Returns at most `maxLength` characters, and nothing that a database refuses to store as text. */
export function shorten(text: string, maxLength: number): string {
  const shortened = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  return shortened.replaceAll(NUL, '\uFFFD').toWellFormed();
}

const MAX_QUOTE_LENGTH = 200;

export function quoted(text: string): string {
  return JSON.stringify(shorten(text, MAX_QUOTE_LENGTH));
}
