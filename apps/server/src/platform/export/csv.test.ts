import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvLine } from './csv.ts';

const READ = `
import csv, io, json, sys
text = io.TextIOWrapper(sys.stdin.buffer, encoding='utf-8', newline='').read()
print(json.dumps(list(csv.reader(io.StringIO(text, newline=''), strict=True))))
`;

/** Reads it with a third-party parser. */
function readBack(text: string): string[][] {
  return JSON.parse(execFileSync('python3', ['-c', READ], { input: text, encoding: 'utf8' })) as string[][];
}

it('quotes only what needs it', () => {
  expect(csvLine(['plain', 7, 'a,b', 'say "hi"', 'two\r\nlines', ''])).toBe(
    'plain,7,"a,b","say ""hi""","two\r\nlines",\r\n',
  );
});

it.each([
  ['=cmd()', "'=cmd()"],
  ['=1,2', `"'=1,2"`],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', "'\tx"],
  ['\rx', `"'\rx"`],
  ['"=1', `"'""=1"`],
  ["'=1", "''=1"],
  ['a=b', 'a=b'],
  ["'quoted'", "'quoted'"],
])('%j is written as %j', (text, cell) => {
  expect(csvLine([text])).toBe(`${cell}\r\n`);
});

it('is read back by another parser, with formulas as text', () => {
  const cells = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc
      .array(fc.constantFrom('=', '+', '-', '@', '"', "'", ',', '\r', '\n', '\t', 'a', ' '), { maxLength: 6 })
      .map((all) => all.join('')),
  );
  const [lines] = fc.sample(fc.array(fc.tuple(cells, cells, cells), { minLength: 500, maxLength: 500 }), 1);
  if (!lines) throw new Error('no lines');
  const read = readBack(lines.map(csvLine).join(''));
  expect(read).toHaveLength(lines.length);
  for (const [i, line] of read.entries()) {
    for (const [j, cell] of line.entries()) {
      expect(cell).not.toMatch(/^[=+\-@\t\r]/);
      expect([lines[i]?.[j], `'${lines[i]?.[j]}`]).toContain(cell);
    }
  }
});
