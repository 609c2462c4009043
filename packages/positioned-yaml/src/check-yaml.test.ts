import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Checked } from './check-yaml.ts';
import { checkYaml } from './check-yaml.ts';

const Note = z.strictObject({ text: z.string().max(200), kind: z.enum(['plain', 'bold']).optional() });

/** Refuses the letter X, wherever it is. */
function check(source: string): Checked<z.output<typeof Note>> {
  return checkYaml(source, Note, {
    noun: 'note',
    smallest: 'text: a',
    maxBytes: 10_000,
    explainSyntax: (line, column) => (line.includes('@') ? `A sign at ${column} in ${line}.` : undefined),
    alsoCheck: (value) => {
      const text = z.object({ text: z.string() }).safeParse(value).data?.text ?? '';
      const at = text.indexOf('X');
      return at === -1 ? [] : [{ path: ['text'], at, message: 'An X.' }];
    },
  });
}

function problemsIn(source: string): string[] {
  const checked = check(source);
  return checked.ok ? [] : checked.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

const places: [it: string, source: string, place: string][] = [
  ['plain', 'text: a bXc', '1:10'],
  ['plain, on a later line', 'text: a\n  b\n\n  cXd', '4:4'],
  ['single quotes', "text: 'aXb'", '1:9'],
  ['single quotes with a quote inside', "text: 'a''b''Xc'", '1:14'],
  ['single quotes, on a later line', "text: 'a\n\n   b X'", '3:6'],
  ['double quotes', 'text: "a Xb"', '1:10'],
  ['double quotes with escapes', String.raw`text: "\"\\\t\n \x41\u00e9 X"`, '1:28'],
  ['double quotes with an escape outside of the basic plane', String.raw`text: "\U0001F600X"`, '1:18'],
  ['double quotes with an escaped space', String.raw`text: "a\ \x20\u0009X"`, '1:21'],
  ['double quotes with an escaped line end', 'text: "a\\\n   bX"', '2:5'],
  ['double quotes, where the X itself is escaped', String.raw`text: "ab\x58"`, '1:10'],
  ['a literal block', 'text: |\n  a\n   b X\n', '3:6'],
  ['a literal block with a comment and an indent', 'text: |2- # X\n   a\n  X', '3:3'],
  ['a folded block', 'text: >-\n  a\n  b\n\n  c X', '5:5'],
  ['a block with Windows line ends', 'text: |\r\n  a\r\n  bX\r\n', '3:4'],
  ['an emoji before it', 'text: "😀X"', '1:10'],
];

describe('a finding is placed where its character was written', () => {
  it.each(places)('%s', (_, source, place) => {
    expect(problemsIn(source)).toEqual([`${place} An X.`]);
  });

  it('in any text, however it is quoted', () => {
    const parts = fc.array(fc.constantFrom('a', 'b', ' ', "''", '\n  ', 'é', '"'), { maxLength: 12 });
    const property = fc.property(parts, (before) => {
      const source = `text: '${before.join('')}X'`;
      const lines = source.split('\n');
      const place = `${lines.length}:${lines.at(-1)?.indexOf('X') ?? 0}`;
      const [found = ''] = problemsIn(source);
      expect(found).toBe(place.replace(/\d+$/, (column) => `${Number(column) + 1} An X.`));
    });
    fc.assert(property, { numRuns: 500 });
  });
});

it('reports mistakes of the shape together with all others', () => {
  expect(problemsIn('kind: bolt\ntext: aX')).toEqual([
    '1:7 "kind" must be plain or bold, not the text "bolt". Did you mean "bold"?',
    '2:8 An X.',
  ]);
  expect(problemsIn(`text: ${'a'.repeat(201)}`)).toEqual(['1:7 "text" must be at most 200 characters long.']);
});

it('asks for a better explanation of invalid YAML', () => {
  expect(problemsIn('kind: plain\ntext: @a')).toEqual(['2:7 A sign at 7 in text: @a.']);
  expect(problemsIn('text: a: b')).toEqual(['1:7 A value that contains a colon and a space must be in quotes.']);
});

it('remembers where things are', () => {
  const checked = check('# first\ntext: a');
  expect(checked.ok && checked.placeOf(['text'])).toEqual({ line: 2, column: 7 });
  expect(checked.ok && checked.placeOf([])).toEqual({ line: 2, column: 1 });
});
