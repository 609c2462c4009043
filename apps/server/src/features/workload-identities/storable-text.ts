/** PostgreSQL has no place for U+0000, canonical JSON none for half a character. */
export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
