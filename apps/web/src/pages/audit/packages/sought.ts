/** Digits of a fingerprint or a commit, enough of them to search for. */
export function isDigits(text: string): boolean {
  return /^[0-9a-f]{5,64}$/i.test(text);
}

export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** As a pattern that matches just this text, ignoring case. */
export function literally(text: string): string {
  return `(?i)${text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`;
}
