import fc from 'fast-check';
import { expect, it } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

const names = { before: 'a', after: 'b' };

it('is empty for the same text', () => {
  expect(unifiedDiff('x\n', 'x\n', names)).toBe('');
});

it('shows what changed with three lines around it', () => {
  const before = '1\n2\n3\n4\n5\n6\n7\n8\n9\n';
  expect(unifiedDiff(before, before.replace('5\n', 'five\n'), names)).toMatchInlineSnapshot(`
    "--- a
    +++ b
    @@ -2,7 +2,7 @@
     2
     3
     4
    -5
    +five
     6
     7
     8"
  `);
});

it('marks a last line without a line break', () => {
  expect(unifiedDiff('a\n', 'a', names)).toContain('-a\n+a\n\\ No newline at end of file');
});

it('replaces whole texts that have no line in common, however long they are', () => {
  const many = (letter: string) => `${letter}\n`.repeat(5_000);
  expect(unifiedDiff(many('a'), many('b'), names)).toContain('@@ -1,5000 +1,5000 @@');
});

it('produces the second text when it is applied to the first', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', ' x'), { maxLength: 30 });
  const text = fc.tuple(lines, fc.boolean()).map(([parts, isEnded]) => parts.join('\n') + (isEnded ? '\n' : ''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(patched(before, unifiedDiff(before, after, names))).toBe(after);
    }),
    { numRuns: 500 },
  );
});

/** Applies a diff strictly: every kept or removed line must be where the hunk says. */
function patched(before: string, diff: string): string {
  const old = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const made: string[] = [];
  let at = 0;
  for (const [line, next] of linesWithNext(diff)) {
    const start = startOf(line);
    if (start !== undefined) {
      made.push(...old.slice(at, start));
      at = start;
      continue;
    }
    const text = `${line.slice(1)}${next.startsWith('\\') ? '' : '\n'}`;
    if (!line.startsWith('+')) expect(old[at++]).toBe(text);
    if (!line.startsWith('-')) made.push(text);
  }
  return [...made, ...old.slice(at)].join('');
}

function linesWithNext(diff: string): (readonly [line: string, next: string])[] {
  const lines = diff.split('\n').slice(2);
  return lines.map((line, at) => [line, lines[at + 1] ?? ''] as const).filter(([line]) => !line.startsWith('\\'));
}

/** Returns where a hunk begins in the first text; undefined for any other line. */
function startOf(line: string): number | undefined {
  const [, start, count] = /^@@ -(\d+)(?:,(\d+))? /.exec(line) ?? [];
  if (start === undefined) return undefined;
  return count === '0' ? Number(start) : Number(start) - 1;
}
