import type { YAMLError } from 'yaml';
import { quoted } from './in-words.ts';

export const TOO_DEEP = 'This is nested too deeply.';
export const NO_ALIASES =
  'YAML anchors (&) and aliases (*) are not allowed; if you mean the character itself, put it in quotes, as in "*".';

/** The rest of the parser's complaints are mostly echoes of the first. */
export function firstComplaint(complaints: readonly YAMLError[]): YAMLError | undefined {
  return complaints.toSorted((a, b) => a.pos[0] - b.pos[0])[0];
}

export function syntaxMessage({ code, pos, message }: YAMLError, text: string): string {
  switch (code) {
    case 'TAB_AS_INDENT':
      return 'A tab cannot indent YAML; use spaces.';
    case 'BLOCK_AS_IMPLICIT_KEY':
      return 'A value that contains a colon and a space must be in quotes.';
    case 'BAD_ALIAS':
    case 'ALIAS_PROPS':
      return NO_ALIASES;
    case 'MULTIPLE_DOCS':
      return 'A second YAML document starts here; only one is allowed.';
    case 'NON_STRING_KEY':
      return 'A key must be plain text.';
    case 'RESOURCE_EXHAUSTION':
      return TOO_DEEP;
    case 'TAG_RESOLVE_FAILED':
      return `Unknown YAML tag ${quoted(text.slice(...pos))}; remove it, or put the value in quotes.`;
    default:
      return `Not valid YAML: ${message}.`;
  }
}
