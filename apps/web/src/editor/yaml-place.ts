/** The cursor's place in a YAML text: the keys above it, and the line up to it. */
export interface YamlPlace {
  /** From the outermost key; `[]` is an item of a list. */
  readonly path: readonly string[];
  /** The key whose value is being written; undefined while a key is. */
  readonly key: string | undefined;
  /** What has been typed of the word. */
  readonly typed: string;
}

const LINE = /^(?<indent> *)(?<dashes>(?:- +)*)(?:(?<key>[\w.~-]+|"[^"]*"|'[^']*')\s*:(?:\s+(?<value>.*)|$))?/;

interface Parent {
  readonly column: number;
  readonly part: string;
}

/** Blank lines and comments belong to nothing. */
function isEmpty(line: string): boolean {
  return /^\s*(#.*)?$/.test(line);
}

function partsOf(line: string): {
  readonly column: number;
  readonly parents: readonly Parent[];
  readonly value: string;
} {
  const groups = LINE.exec(line)?.groups ?? {};
  const { indent = '', dashes = '', key, value = '' } = groups;
  const parents: Parent[] = [...dashes.matchAll(/- +/g)].map(({ index }) => ({
    column: indent.length + index,
    part: '[]',
  }));
  const column = indent.length + dashes.length;
  return {
    column,
    parents: key === undefined ? parents : [...parents, { column, part: key.replaceAll(/["']/g, '') }],
    value,
  };
}

/** By indentation alone: a text that is being written is rarely valid YAML yet. */
export function placeIn(linesBefore: readonly string[], upToCursor: string): YamlPlace {
  const { column, parents, value } = partsOf(upToCursor);
  const ownKey = parents.at(-1);
  const isValue = ownKey !== undefined && ownKey.part !== '[]';
  const items = parents.filter(({ part }) => part === '[]').map(({ part }) => part);
  const path = [...pathAbove(linesBefore, parents[0]?.column ?? column, items.length > 0), ...items];
  const word = /^\s*(?:- +)*(?<word>\S*)$/.exec(upToCursor)?.groups?.['word'] ?? '';
  return { path, key: isValue ? ownKey.part : undefined, typed: isValue ? value : word };
}

/** A list may have the same indentation as its key. */
function pathAbove(lines: readonly string[], column: number, isItem: boolean): string[] {
  const path: string[] = [];
  let limit = column;
  let mayShare = isItem;
  for (const line of lines.toReversed()) {
    if (isEmpty(line)) continue;
    for (const parent of partsOf(line).parents.toReversed()) {
      const shares = mayShare && parent.column === limit && parent.part !== '[]';
      if (parent.column >= limit && !shares) continue;
      path.unshift(parent.part);
      limit = parent.column;
      mayShare = parent.part === '[]';
    }
  }
  return path;
}
