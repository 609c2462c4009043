/** Writes text so that its markup means nothing, character by character, and stops before it gets too long. */
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

/** The three characters that Slack and those who speak its language want escaped. */
export function slackCharacter(character: string): string {
  return '&<>'.includes(character) ? htmlCharacter(character) : character;
}

/** Every sign may stand behind a backslash in Markdown as Discord reads it. */
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
 * Where two languages of markup may be read, and what escapes in one is shown in the other, marks are exchanged for
 * ones that look alike. An underscore within a word means nothing in either.
 */
export function withoutMarks(text: string): string {
  return text.replace(/[*~`|\\]/g, (mark) => ALIKE[mark] ?? '').replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '＿');
}

const URL_MAX = 2000;

/** A link of ours that nothing in it can end early. Where there is none, or services would refuse it, leads to the start. */
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
