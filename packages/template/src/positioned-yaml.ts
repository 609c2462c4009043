import { LineCounter } from 'yaml';
import type { z } from 'zod';
import { quoted } from './in-words.ts';
import { issueSentence, unknownKeySentence } from './issue-sentence.ts';
import { keysAt } from './keys-at.ts';
import type { Problem } from './problem.ts';
import type { Fault, YamlTree } from './yaml-tree.ts';
import { readYaml } from './yaml-tree.ts';

export type Checked<T> = { ok: true; value: T } | { ok: false; problems: Problem[] };

export interface YamlKind {
  /** What the text is called in messages, such as "template". */
  noun: string;
  /** A whole text that would do, for whoever sent an empty one. */
  smallest: string;
  maxBytes: number;
}

// Control characters, which YAML forbids, and halves of a surrogate pair, which no encoding can carry.
const UNPRINTABLE = /(?![\t\n\r\u0085])[\p{Cc}\p{Cs}]/u;

/** Reads YAML from a stranger and checks it against `schema`. Every problem has a place; no text makes it throw. */
export function checkYaml<S extends z.ZodType>(text: string, schema: S, kind: YamlKind): Checked<z.output<S>> {
  // Editors do not count a byte order mark as a column.
  const source = text.replace(/^\uFEFF/, '');
  const unreadable = textFault(source, kind);
  if (unreadable) return refused(source, [unreadable]);

  const { root, faults } = readYaml(source);
  if (faults.length > 0) return refused(source, faults);
  if (root.value === null) return refused(source, [emptyFault(kind)]);

  const result = schema.safeParse(root.value, { error: issueSentence(kind.noun) });
  if (result.success) return { ok: true, value: result.data };
  return refused(
    source,
    result.error.issues.flatMap((issue) => faultsOf(issue, root, schema)),
  );
}

function textFault(source: string, { noun, maxBytes }: YamlKind): Fault | undefined {
  if (source.length > maxBytes || new TextEncoder().encode(source).length > maxBytes) {
    return { path: [], offset: 0, message: `The ${noun} is too large; at most ${maxBytes} bytes are allowed.` };
  }
  const unprintable = UNPRINTABLE.exec(source);
  if (!unprintable) return undefined;
  const code = unprintable[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return { path: [], offset: unprintable.index, message: `The character U+${code} is not allowed in YAML; remove it.` };
}

function emptyFault({ noun, smallest }: YamlKind): Fault {
  return { path: [], offset: 0, message: `The ${noun} is empty; the shortest that is allowed is ${quoted(smallest)}.` };
}

function faultsOf(issue: z.core.$ZodIssue, root: YamlTree, schema: z.ZodType): Fault[] {
  const here = treeAt(root, issue.path);
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, offset: here.offset, message: issue.message }];
  const allowed = keysAt(schema, issue.path);
  return issue.keys.map((key) => ({
    path: [...issue.path, key],
    offset: here.children.get(key)?.keyOffset ?? here.offset,
    message: unknownKeySentence(key, allowed),
  }));
}

/** What is at `path` or, for something missing, what it is missing from. */
function treeAt(root: YamlTree, path: readonly PropertyKey[]): YamlTree {
  let here = root;
  for (const step of path) {
    const next = here.children.get(String(step));
    if (!next) break;
    here = next;
  }
  return here;
}

function refused(source: string, faults: readonly Fault[]): { ok: false; problems: Problem[] } {
  const lines = lineCounter(source);
  const problems = faults
    .toSorted((a, b) => a.offset - b.offset)
    .map(({ path, offset, message }) => {
      const { line, col } = lines.linePos(offset);
      return { path: path.map(String).join('.'), line, column: col, message };
    });
  return { ok: false, problems };
}

/** Filled here and not by the parser, which stops counting where it stops reading. */
function lineCounter(source: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
  return lines;
}
