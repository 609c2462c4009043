/** On one line, because a list of characters cannot be read in two pieces. */
const MARKS = '`.\u00a0_\u00a0~\u00a0-`';
const ENVIRONMENT_MARKS = '`.\u00a0_\u00a0-`';

/** What the patterns of our contracts mean, and a matching text where a plain placeholder does not match. */
const PATTERNS: Record<string, { readonly words: string; readonly example?: string }> = {
  '^[a-zA-Z0-9][a-zA-Z0-9\\-_.~]*$': { words: `letters, digits, and ${MARKS}, starting with a letter or digit` },
  '^[a-zA-Z0-9][a-zA-Z0-9.\\-_]*$': {
    words: `letters, digits, and ${ENVIRONMENT_MARKS}, starting with a letter or digit`,
  },
  '^[^\\x00-\\x1f\\x7f-\\x9f]*$': { words: 'no control characters' },
  '^[a-f0-9]{64}$': { words: '64 digits of `0–9` and `a–f`', example: 'a'.repeat(64) },
  '^[a-fA-F0-9]{64}$': { words: '64 hexadecimal digits', example: 'a'.repeat(64) },
  '^([a-fA-F0-9]{64})?$': { words: '64 hexadecimal digits, or empty', example: 'a'.repeat(64) },
  '^([a-f0-9]{64})?$': { words: '64 digits of `0–9` and `a–f`, or empty', example: 'a'.repeat(64) },
  '^[a-f0-9]{5,64}$': { words: '5 to 64 digits of `0–9` and `a–f`', example: 'aaaaa' },
  '^[a-f0-9]{40}$': { words: '40 digits of `0–9` and `a–f`', example: 'b'.repeat(40) },
  '^[a-zA-Z0-9.\\-_~]+$': { words: `letters, digits, and ${MARKS}` },
  '\\S': { words: 'not only spaces' },
  '^[a-z_]+(,[a-z_]+)*$': { words: 'words of `a–z` and `_`, separated by commas', example: 'flow,environment' },
};

/** With names between backticks, like all our descriptions. */
export function patternWords(pattern: string): string | undefined {
  return PATTERNS[pattern]?.words;
}

export function patternExample(pattern: string): string | undefined {
  return PATTERNS[pattern]?.example;
}
