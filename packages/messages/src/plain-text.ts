/**
 * Text of others as one line that reads as it is written: no control characters, nothing that turns the direction of
 * writing or cannot be seen, no towers of marks, and no more than so many characters.
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

/** The same for a name, of which the end often says more than the middle. */
export function nameText(name: string, max: number): string {
  const characters = cleaned(name, Number.POSITIVE_INFINITY);
  if (characters.length <= max) return characters.join('') || '(unnamed)';
  const tail = Math.floor(max / 2) - 1;
  return `${characters.slice(0, max - tail - 1).join('')}…${characters.slice(-tail).join('')}`;
}

/** More than this is not looked at, so that a huge text costs little. */
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

/** Cannot be seen, and keeps what stands before it from being read together with what follows. */
const APART = '\u200b';

/**
 * Text that no reader takes for a mention, an address or a link, whichever marks it knows: chat services and mail
 * programs make links out of whatever looks like one, also where no markup is read.
 */
export function inert(text: string): string {
  return text.replace(
    /[@#\]]|:(?=\/)|[{$](?=\{)|[.。．｡](?=[\p{L}\p{M}])|\d\.(?=\d+\.\d+\.\d)/gu,
    (mark) => mark + APART,
  );
}
