/**
 * Untrusted text as one line that reads as written: no control characters, nothing that changes the writing direction
 * or is invisible, no stacked marks, and a limited length.
 */
export function plainText(text: string, max: number): string {
  const characters = cleaned(text, max);
  return characters.length <= max
    ? characters.join('')
    : `${characters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`;
}

/** The same for a name, whose end often says more than the middle. */
export function nameText(name: string, max: number): string {
  const characters = cleaned(name, Number.POSITIVE_INFINITY);
  if (characters.length <= max) return characters.join('') || '(unnamed)';
  const tail = Math.floor(max / 2) - 1;
  return `${characters.slice(0, max - tail - 1).join('')}…${characters.slice(-tail).join('')}`;
}

/** The rest is not read, so that a huge text costs little. */
const MAX_READ = 20_000;

function cleaned(text: string, max: number): string[] {
  const clean = text
    .slice(0, Math.min(MAX_READ, max * 8))
    .toWellFormed()
    .replace(/[\s\p{Cc}\p{Z}]+/gu, ' ')
    .replace(/[\p{Cf}\p{Co}\p{Cn}\u115f\u1160\u3164\uffa0]+/gu, '')
    .replace(/(\p{M}{3})\p{M}+/gu, '$1')
    .trim();
  return Array.from(clean);
}

/** Invisible, and separates the text before it from what follows. */
const APART = '\u200b';

/**
 * Text that no reader takes for a mention, an address or a link, in any markup: chat services and mail programs turn
 * anything similar into links, even where no markup applies.
 */
export function inert(text: string): string {
  return text.replace(
    /[@#\]]|:(?=\/)|[{$](?=\{)|[.。．｡](?=[\p{L}\p{M}])|\d\.(?=\d+\.\d+\.\d)/gu,
    (mark) => mark + APART,
  );
}
