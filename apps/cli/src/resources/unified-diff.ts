interface Change {
  readonly sign: ' ' | '-' | '+';
  readonly line: string;
}

const CONTEXT = 3;
/** Beyond this the texts have so little in common that a full replacement is clearer. */
const MAX_STEPS = 2_000;

/** As `diff -u` writes it; empty when the texts are the same. */
export function unifiedDiff(before: string, after: string, names: { before: string; after: string }): string {
  if (before === after) return '';
  const changes = changesBetween(linesOf(before), linesOf(after));
  return [`--- ${names.before}`, `+++ ${names.after}`, ...hunksOf(changes)].join('\n');
}

/** The line break is part of the line, so that a missing one shows. */
function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines.push(`${lines.pop()}\n\\ No newline at end of file`);
  return lines;
}

function changesBetween(before: readonly string[], after: readonly string[]): Change[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail++;
  const unchanged = (line: string): Change => ({ sign: ' ', line });
  return [
    ...before.slice(0, head).map(unchanged),
    ...shortestScript(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(unchanged),
  ];
}

/** Myers: for each number of steps, the farthest point of each diagonal; then the way back. */
function shortestScript(before: readonly string[], after: readonly string[]): Change[] {
  const trace: Map<number, number>[] = [];
  const reached = new Map<number, number>([[1, 0]]);
  const maxSteps = Math.min(before.length + after.length, MAX_STEPS);
  for (let steps = 0; steps <= maxSteps; steps++) {
    trace.push(new Map(reached));
    for (let diagonal = -steps; diagonal <= steps; diagonal += 2) {
      let x = startOf(reached, diagonal, steps);
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++;
      reached.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return wayBack(trace, before, after);
    }
  }
  return [
    ...before.map((line): Change => ({ sign: '-', line })),
    ...after.map((line): Change => ({ sign: '+', line })),
  ];
}

/** Whether a diagonal is reached by an insertion, from the one above it, or by a removal, from the one before. */
function isInsertion(reached: ReadonlyMap<number, number>, diagonal: number, steps: number): boolean {
  if (diagonal === -steps) return true;
  return diagonal !== steps && (reached.get(diagonal - 1) ?? -1) < (reached.get(diagonal + 1) ?? -1);
}

function startOf(reached: ReadonlyMap<number, number>, diagonal: number, steps: number): number {
  return isInsertion(reached, diagonal, steps)
    ? (reached.get(diagonal + 1) ?? 0)
    : (reached.get(diagonal - 1) ?? 0) + 1;
}

function wayBack(
  trace: readonly ReadonlyMap<number, number>[],
  before: readonly string[],
  after: readonly string[],
): Change[] {
  const changes: Change[] = [];
  let x = before.length;
  let y = after.length;
  for (const [steps, reached] of [...trace.entries()].reverse()) {
    const diagonal = x - y;
    const start = startOf(reached, diagonal, steps);
    for (; x > start; x--, y--) changes.push({ sign: ' ', line: before[x - 1] ?? '' });
    if (steps === 0) break;
    if (isInsertion(reached, diagonal, steps)) changes.push({ sign: '+', line: after[--y] ?? '' });
    else changes.push({ sign: '-', line: before[--x] ?? '' });
  }
  return changes.reverse();
}

function hunksOf(changes: readonly Change[]): string[] {
  const near = changes.map((_, at) =>
    changes.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ sign }) => sign !== ' '),
  );
  const lines: string[] = [];
  let before = 0;
  let after = 0;
  for (let at = 0; at < changes.length; ) {
    let end = at;
    while (end < changes.length && near[end] === near[at]) end++;
    const part = changes.slice(at, end);
    const removed = part.filter(({ sign }) => sign !== '+').length;
    const added = part.filter(({ sign }) => sign !== '-').length;
    if (near[at]) {
      lines.push(`@@ -${rangeOf(before, removed)} +${rangeOf(after, added)} @@`);
      lines.push(...part.map(({ sign, line }) => `${sign}${line}`));
    }
    before += removed;
    after += added;
    at = end;
  }
  return lines;
}

function rangeOf(start: number, count: number): string {
  return count === 1 ? `${start + 1}` : `${count === 0 ? start : start + 1},${count}`;
}
