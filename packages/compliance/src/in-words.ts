const MAX_LISTED = 3;
const MAX_REASON_LENGTH = 300;
const SHORT_COMMIT = 7;
const SHORT_FINGERPRINT = 12;

export function typeInWords(type: string): string {
  return type === '*' ? 'any type' : `type ${type}`;
}

export function shortCommit(commit: string): string {
  return cut(commit, SHORT_COMMIT);
}

export function shortFingerprint(fingerprint: string): string {
  return cut(fingerprint, SHORT_FINGERPRINT);
}

/** A surrogate half, left by the cut, could not be stored. */
function cut(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}

/** "a", "a and b", "a, b and 4 more". */
export function listed(items: readonly string[]): string {
  const shown = items.length > MAX_LISTED ? items.slice(0, MAX_LISTED - 1) : items;
  const rest = items.length - shown.length;
  const all = rest > 0 ? [...shown, `${rest} more`] : shown;
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The first few sentences, and how many were left out. */
export function inBrief(sentences: readonly string[], rest: (count: number) => string): string {
  const shown = sentences.slice(0, MAX_LISTED);
  const left = sentences.length - shown.length;
  return (left > 0 ? [...shown, rest(left)] : shown).join(' ');
}

/** Reasons come with and without a period, may be blank, and have any length. */
export function withReasons(statement: string, reasons: readonly string[]): string {
  const sentences = reasons.map(asSentence).filter((sentence) => sentence !== '');
  return sentences.length === 0 ? `${statement}.` : `${statement}: ${inBrief(sentences, andMoreReasons)}`;
}

function asSentence(reason: string): string {
  const text = reason.trim();
  if (text.length > MAX_REASON_LENGTH) return `${cut(text, MAX_REASON_LENGTH)}…`;
  return text === '' || /[.!?…]$/.test(text) ? text : `${text}.`;
}

function andMoreReasons(count: number): string {
  return `And ${counted(count, 'more reason')}.`;
}
