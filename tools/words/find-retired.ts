import { basename } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { RETIRED, RETIRED_PHRASES } from './retired.ts';

export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly found: string;
  readonly use: string;
}

const termOf = new Map(RETIRED.map((term) => [term.word, term]));

/** Returns the words of a name, in lower case: of `standingOf`, `STANDING_MAX` and `flow-standing.ts` alike. */
function wordsIn(name: string): string[] {
  return (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase());
}

function termFor(name: string) {
  const terms = wordsIn(name).flatMap((word) => termOf.get(word) ?? []);
  return terms.find(({ exceptions }) => !exceptions?.includes(name));
}

/** Finds retired words in the name of a file, in its identifiers, and retired phrases in its comments. */
export function findRetired(file: string, text: string): Finding[] {
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  const inName = termFor(basename(file));
  const findings: Finding[] = inName ? [{ file, line: 1, found: basename(file), use: inName.use }] : [];
  const { program, comments } = parseSync(file, text);
  const check = (name: string, offset: number) => {
    const term = termFor(name);
    if (term) findings.push({ file, line: lineAt(offset), found: name, use: term.use });
  };
  new Visitor({
    Identifier: ({ name, start }) => check(name, start),
    JSXIdentifier: ({ name, start }) => check(name, start),
  }).visit(program);
  for (const { value, start } of comments) {
    const flat = value.replace(/\s*\n\s*\*?\s*/g, ' ').toLowerCase();
    for (const { phrase, use } of RETIRED_PHRASES) {
      if (flat.includes(phrase)) findings.push({ file, line: lineAt(start), found: phrase, use });
    }
  }
  return findings;
}
