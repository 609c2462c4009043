const LONGEST_QUOTE = 60;

/** The text in quotes, with what cannot be printed escaped, cut so that a message stays readable. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text);
}

/** A value out of a YAML text, as it is called in the middle of a sentence. */
export function inWords(value: unknown): string {
  if (value === null) return 'an empty value';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return `the text ${quoted(value)}`;
  if (typeof value === 'object') return 'a mapping';
  return `the ${typeof value} ${String(value)}`;
}
