/** Digits of a fingerprint or a commit, enough of them to look for. */
export function isDigits(text: string): boolean {
  return /^[0-9a-f]{5,64}$/i.test(text);
}

export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** As an expression that means just this text, in any case. */
export function literally(text: string): string {
  return `(?i)${text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`;
}
