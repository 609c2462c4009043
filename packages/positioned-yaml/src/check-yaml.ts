import { LineCounter } from 'yaml';
import type { z } from 'zod';
import { quoted } from './in-words.ts';
import { issueMessage, unknownKeyMessage } from './issue-message.ts';
import { keysAt } from './keys-at.ts';
import type { Problem } from './problem.ts';
import type { ExplainSyntax, Fault, YamlTree } from './yaml-tree.ts';
import { readYaml } from './yaml-tree.ts';

/** More would not help a reader. */
const PROBLEMS_MAX = 50;

/** Both numbers count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export type Checked<T> =
  | { ok: true; value: T; placeOf: (path: readonly PropertyKey[]) => Place }
  | { ok: false; problems: Problem[] };

export interface YamlKind {
  /** The name of the text in messages, such as "template". */
  noun: string;
  /** A complete valid text, to suggest for an empty one. */
  smallest: string;
  maxBytes: number;
  /** Explains invalid YAML, where it can do better than the parser. */
  explainSyntax?: ExplainSyntax;
  /**
   * Finds mistakes besides the shape. It receives the value even if the schema refuses it, so that all are reported at
   * once.
   */
  alsoCheck?: (value: unknown) => readonly Finding[];
}

export interface Finding {
  readonly path: readonly PropertyKey[];
  /** Which character of the text at `path` it is about. */
  readonly at: number;
  readonly message: string;
}

// Control characters, which YAML forbids, and lone surrogates, which no encoding can carry.
const UNPRINTABLE = /(?![\t\n\r\u0085])[\p{Cc}\p{Cs}]/u;

/** Parses untrusted YAML and checks it against `schema`. Every problem has a position; no text makes it throw. */
export function checkYaml<S extends z.ZodType>(text: string, schema: S, kind: YamlKind): Checked<z.output<S>> {
  // Editors do not count a byte order mark as a column.
  const source = text.replace(/^\uFEFF/, '');
  const unreadable = textFault(source, kind);
  if (unreadable) return refused(source, [unreadable]);

  const { root, faults } = readYaml(source, kind.explainSyntax);
  if (faults.length > 0) return refused(source, faults);
  if (root.value === null) return refused(source, [emptyFault(kind)]);

  const result = schema.safeParse(root.value, { error: issueMessage(kind.noun) });
  const findings = (kind.alsoCheck?.(root.value) ?? []).map((finding) => faultOf(finding, root));
  if (result.success && findings.length === 0) {
    return { ok: true, value: result.data, placeOf: placesIn(source, root) };
  }
  const issues = result.error?.issues ?? [];
  return refused(source, [...issues.flatMap((issue) => faultsOf(issue, root, schema)), ...findings]);
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
    message: unknownKeyMessage(key, allowed),
  }));
}

function faultOf({ path, at, message }: Finding, root: YamlTree): Fault {
  const here = treeAt(root, path);
  return { path: [...path], offset: here.offsetWithin?.(at) ?? here.offset, message };
}

/** The node at `path` or, for a missing one, its parent. */
function treeAt(root: YamlTree, path: readonly PropertyKey[]): YamlTree {
  let here = root;
  for (const step of path) {
    const next = here.children.get(String(step));
    if (!next) break;
    here = next;
  }
  return here;
}

function placesIn(source: string, root: YamlTree): (path: readonly PropertyKey[]) => Place {
  const lines = lineCounter(source);
  return (path) => placeAt(lines, treeAt(root, path).offset);
}

function placeAt(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

function refused(source: string, faults: readonly Fault[]): { ok: false; problems: Problem[] } {
  const lines = lineCounter(source);
  const problems = faults
    .toSorted((a, b) => a.offset - b.offset)
    .slice(0, PROBLEMS_MAX)
    .map(({ path, offset, message }) => ({ path: path.map(String).join('.'), ...placeAt(lines, offset), message }));
  return { ok: false, problems };
}

/** Filled here and not by the parser, which stops counting where it stops reading. */
function lineCounter(source: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
  return lines;
}
