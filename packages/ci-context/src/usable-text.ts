const MAX_LENGTH = 2048;

/** Azure and Jenkins leave `$(X)` and `${X}` unexpanded, TeamCity `%x%`, Harness `<+x>`, when there is no value. */
const UNEXPANDED = /\$\([\w.\- ]*\)|\$\{[^}]*\}|^%[\w.-]+%$|<\+[^>]*>/;

/** Characters that move the cursor, end a line or change the writing direction. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

export function isUnexpanded(text: string): boolean {
  return UNEXPANDED.test(text);
}

/** Any variable may hold an address with a password. */
export function withoutCredentials(text: string): string {
  return text.replace(/([a-z][a-z\d+.-]*:\/\/)[^\s/?#]*@/gi, '$1');
}

export type Usable = { text: string } | { problem: string };

/** Refuses text rather than repairing it: a branch without its line break would be another branch. */
export function usableText(raw: string): Usable {
  const text = raw.trim();
  if (text === '') return { problem: 'is empty' };
  if (isUnexpanded(text)) return { problem: 'holds a variable that was not replaced by its value' };
  if (CONTROL.test(text) || !text.isWellFormed()) return { problem: 'holds control characters' };
  if (text.length > MAX_LENGTH) return { problem: `is longer than ${MAX_LENGTH} characters` };
  return { text };
}
