import type { Node, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { quoted } from './in-words.ts';
import { offsetsWithin } from './offsets-within.ts';
import { firstComplaint, NO_ALIASES, syntaxMessage, TOO_DEEP } from './yaml-syntax.ts';

/** A value out of a YAML text that remembers where it, its key and everything in it were written. */
export interface YamlTree {
  value: unknown;
  offset: number;
  keyOffset: number;
  children: Map<string, YamlTree>;
  /** Where the character at `index` of a text was written. */
  offsetWithin?: (index: number) => number;
}

export interface Fault {
  path: PropertyKey[];
  offset: number;
  message: string;
}

/** Explains a line of invalid YAML at a 1-based column; undefined where the parser's message is good. */
export type ExplainSyntax = (line: string, column: number) => string | undefined;

interface Reader {
  readonly text: string;
  readonly faults: Fault[];
}

const DEEPEST = 32;

/** Reads one YAML 1.2 document; what is not plain data (aliases, tags, further documents) is a fault. */
export function readYaml(
  text: string,
  explainSyntax: ExplainSyntax = () => undefined,
): { root: YamlTree; faults: Fault[] } {
  // Unique keys are checked below: the parser compares every key with every other, and 13,000 keys
  // in 64 KiB took it 3 s (yaml 2.9.1). Its log level stays at the default, for a silent one lets a
  // second document pass.
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    strict: true,
    stringKeys: true,
    uniqueKeys: false,
    resolveKnownTags: false,
    prettyErrors: false,
  });
  const complaint = firstComplaint([...document.errors, ...document.warnings]);
  if (complaint) {
    const [offset] = complaint.pos;
    const message = explainSyntax(...lineAt(text, offset)) ?? syntaxMessage(complaint, text);
    return { root: leaf(null, 0, 0), faults: [{ path: [], offset, message }] };
  }
  const reader = { text, faults: [] };
  return { root: treeOf(reader, document.contents, [], 0), faults: reader.faults };
}

function treeOf(reader: Reader, node: Node | null, path: PropertyKey[], keyOffset: number): YamlTree {
  const offset = startOf(node) ?? keyOffset;
  if (path.length > DEEPEST) return refuse(reader, path, offset, TOO_DEEP);
  if (isAlias(node)) return refuse(reader, path, offset, NO_ALIASES);
  refuseAnchor(reader, node, path);
  if (isScalar(node)) return scalarTree(reader, node, offset, keyOffset);
  if (isSeq<Node | null>(node)) return listTree(reader, node, path, offset, keyOffset);
  if (isMap<Node, Node | null>(node)) return mappingTree(reader, node, path, offset, keyOffset);
  return leaf(null, offset, keyOffset);
}

function listTree(
  reader: Reader,
  list: YAMLSeq<Node | null>,
  path: PropertyKey[],
  offset: number,
  keyOffset: number,
): YamlTree {
  const items = list.items.map((item, index) => treeOf(reader, item, [...path, index], item?.range?.[0] ?? offset));
  const children = new Map(items.map((item, index) => [String(index), item]));
  return { value: items.map((item) => item.value), offset, keyOffset, children };
}

function mappingTree(
  reader: Reader,
  mapping: YAMLMap<Node, Node | null>,
  path: PropertyKey[],
  offset: number,
  keyOffset: number,
): YamlTree {
  const children = new Map<string, YamlTree>();
  for (const { key, value } of mapping.items) {
    const name = isScalar(key) ? String(key.value) : '';
    const memberPath = [...path, name];
    const memberOffset = startOf(key) ?? offset;
    refuseAnchor(reader, key, memberPath);
    if (children.has(name)) {
      refuse(reader, memberPath, memberOffset, `The key ${quoted(name)} occurs twice; keep one.`);
    }
    children.set(name, treeOf(reader, value, memberPath, memberOffset));
  }
  // Not by assignment, which would make a key named __proto__ the prototype.
  const value: unknown = Object.fromEntries([...children].map(([name, child]) => [name, child.value]));
  return { value, offset, keyOffset, children };
}

function scalarTree({ text }: Reader, scalar: Scalar, offset: number, keyOffset: number): YamlTree {
  const { value } = scalar;
  if (typeof value !== 'string') return leaf(value, offset, keyOffset);
  return { ...leaf(value, offset, keyOffset), offsetWithin: offsetsWithin(text, scalar, value) };
}

function leaf(value: unknown, offset: number, keyOffset: number): YamlTree {
  return { value, offset, keyOffset, children: new Map() };
}

function refuse(reader: Reader, path: PropertyKey[], offset: number, message: string): YamlTree {
  reader.faults.push({ path, offset, message });
  return leaf(null, offset, offset);
}

function refuseAnchor(reader: Reader, node: Node | null, path: PropertyKey[]): void {
  if (isAlias(node) || !node?.anchor || !node.range) return;
  refuse(reader, path, reader.text.lastIndexOf(`&${node.anchor}`, node.range[0]), NO_ALIASES);
}

/** Nothing for a value that was left out (`type:`): its key shows the place better. */
function startOf(node: Node | null): number | undefined {
  if (!node?.range) return undefined;
  const [start, end] = node.range;
  return start === end ? undefined : start;
}

function lineAt(text: string, offset: number): [line: string, column: number] {
  const start = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  return [text.slice(start, end === -1 ? text.length : end), offset - start + 1];
}
