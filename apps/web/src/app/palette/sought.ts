/** What somebody typed into the palette. */
export type Sought =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'name'; readonly text: string }
  /** Of a fingerprint or a commit; a trail may also be called by it. */
  | { readonly kind: 'digits'; readonly text: string; readonly sha: string }
  /** A pull request, a commit by its address, or a ticket. */
  | { readonly kind: 'change'; readonly text: string };

const NAMES_MAX = 200;

export function soughtBy(typed: string): Sought {
  const text = typed.trim().slice(0, NAMES_MAX);
  if (text === '') return { kind: 'nothing' };
  const sha = text.replace(/^sha256:/i, '').toLowerCase();
  if (/^[0-9a-f]{5,64}$/.test(sha)) return { kind: 'digits', text, sha };
  if (/^https?:\/\//i.test(text) || /^[A-Z][A-Z0-9]+-\d+$/.test(text) || /^#\d+$/.test(text))
    return { kind: 'change', text };
  return { kind: 'name', text };
}

/** Whether each word, or its singular, begins a word of the label, in any case: `policy` finds Policies, and `ci` does not. */
export function beginsWords(typed: string, label: string): boolean {
  const words = label.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return typed
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .map(stem)
    .every((word) => words.some((other) => other.startsWith(word)));
}

function stem(word: string): string {
  return word.length < 4 ? word : word.replace(/(ies|y|s)$/, '');
}

/** Whether each word is somewhere in one of the texts, in any case. */
export function holdsWords(typed: string, ...texts: readonly string[]): boolean {
  const whole = texts.join(' ').toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => whole.includes(word));
}
