export interface LineChange {
  readonly kind: 'added' | 'removed';
  /** In the later text if it was added, in the earlier if it was removed; from 1. */
  readonly line: number;
  readonly text: string;
}

/** Above this a comparison by line takes too much memory: everything between the common ends counts as changed. */
const CELLS_MAX = 4_000_000;

/** What differs between two texts, line by line, in their order. */
export function lineChanges(before: string, after: string): readonly LineChange[] {
  const one = linesOf(before);
  const other = linesOf(after);
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start++;
  let end = 0;
  while (end < one.length - start && end < other.length - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const removed = one.slice(start, one.length - end);
  const added = other.slice(start, other.length - end);
  const common = commonLines(removed, added);
  return [...changes('removed', removed, start, common.before), ...changes('added', added, start, common.after)].sort(
    (a, b) => a.line - b.line || (a.kind === b.kind ? 0 : a.kind === 'removed' ? -1 : 1),
  );
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return text.replace(/\n$/, '').split('\n');
}

function changes(
  kind: LineChange['kind'],
  lines: readonly string[],
  start: number,
  common: ReadonlySet<number>,
): LineChange[] {
  return lines.flatMap((text, i) => (common.has(i) ? [] : [{ kind, line: start + i + 1, text }]));
}

/** The longest sequence of lines that both have. */
function commonLines(before: readonly string[], after: readonly string[]) {
  const common = { before: new Set<number>(), after: new Set<number>() };
  const width = after.length + 1;
  if (before.length * width > CELLS_MAX) return common;
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      lengths[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  let i = 0;
  let j = 0;
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      common.before.add(i++);
      common.after.add(j++);
    } else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return common;
}

const lines = (count: number) => (count === 1 ? '1 line' : `${count.toLocaleString('en')} lines`);

/** Such as `3 lines added, 1 removed`. */
export function changesInWords(found: readonly LineChange[]): string {
  const added = found.filter(({ kind }) => kind === 'added').length;
  const removed = found.length - added;
  if (added === 0 && removed === 0) return 'No lines differ';
  if (added === 0) return `${lines(removed)} removed`;
  return removed === 0 ? `${lines(added)} added` : `${lines(added)} added, ${removed.toLocaleString('en')} removed`;
}
