const MAX_LENGTH = 2048;

/** Azure and Jenkins leave `$(X)` and `${X}` behind, TeamCity `%x%`, Harness `<+x>`, when nothing is known under it. */
const UNEXPANDED = /\$\([\w.\- ]*\)|\$\{[^}]*\}|^%[\w.-]+%$|<\+[^>]*>/;

/** Those that move the cursor, end a line or turn the direction of what follows. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

export function isUnexpanded(text: string): boolean {
  return UNEXPANDED.test(text);
}

/** Whatever a variable is for, an address with a password can be in it. */
export function withoutCredentials(text: string): string {
  return text.replace(/([a-z][a-z\d+.-]*:\/\/)[^\s/?#]*@/gi, '$1');
}

export type Usable = { text: string } | { problem: string };

/**
 * Text is refused rather than mended: a branch without its line break would be the name of another branch.
 */
export function usableText(raw: string): Usable {
  const text = raw.trim();
  if (text === '') return { problem: 'is empty' };
  if (isUnexpanded(text)) return { problem: 'holds a variable that was not replaced by its value' };
  if (CONTROL.test(text) || !text.isWellFormed()) return { problem: 'holds control characters' };
  if (text.length > MAX_LENGTH) return { problem: `is longer than ${MAX_LENGTH} characters` };
  return { text };
}
