/** Escapes all markup, character by character, and stops before the text gets too long. */
export function fit(text: string, max: number, escaped: (character: string) => string): string {
  let written = '';
  for (const character of text) {
    const next = escaped(character);
    if (written.length + next.length > max - 1) return `${written}…`;
    written += next;
  }
  return written;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function htmlCharacter(character: string): string {
  return ENTITIES[character] ?? character;
}

/** The three characters that Slack and compatible services want escaped. */
export function slackCharacter(character: string): string {
  return '&<>'.includes(character) ? htmlCharacter(character) : character;
}

/** In Discord's Markdown every punctuation character can be escaped with a backslash. */
export function discordCharacter(character: string): string {
  return /[!-/:-@[-`{-~]/.test(character) ? `\\${character}` : character;
}

const ALIKE: Readonly<Record<string, string>> = {
  '*': '∗',
  '~': '∼',
  '`': "'",
  '|': '∣',
  '\\': '∖',
};

/**
 * Where two markup languages may apply, and the escapes of one are visible in the other, punctuation is replaced by
 * similar characters. An underscore within a word means nothing in either.
 */
export function withoutMarks(text: string): string {
  return text.replace(/[*~`|\\]/g, (mark) => ALIKE[mark] ?? '').replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '＿');
}

const URL_MAX = 2000;

/** Returns a link of ours that its own text cannot end early. A missing or unacceptable one leads to the start page. */
export function linkText(link: string, publicUrl: string): string {
  const url = encoded(link || publicUrl);
  return url.length <= URL_MAX ? url : encoded(publicUrl);
}

function encoded(link: string): string {
  return new URL(link).href.replace(
    /[^\w\-.~:/?#[\]@!$&+,;=%]/g,
    (character) => `%${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}
