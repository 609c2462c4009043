import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textOf } from './output.ts';
import type { Settings } from './settings.ts';
import { plain, styleFor } from './style.ts';
import { tableOf, widthOf } from './table.ts';

const RED = '\u001b[31m';
const END = '\u001b[39m';
const rows = [
  ['web', 'a description that goes on and on', '2026-11-15 14:03'],
  ['backend', `${RED}short${END}`, 'never'],
];
const titles = ['NAME', 'DESCRIPTION', 'SINCE'];

describe('a table', () => {
  it('is as wide as its content', () => {
    expect(
      tableOf(
        ['A', 'B'],
        rows.map((row) => row.slice(0, 2)),
      ),
    ).toContain('web      a description that goes on and on');
  });

  it('shrinks its widest columns to fit', () => {
    expect(tableOf(titles, rows, 45).split('\n')).toEqual([
      'NAME     DESCRIPTION         SINCE',
      'web      a description tha…  2026-11-15 14:03',
      `backend  ${RED}short${END}               never`,
    ]);
  });

  it('resets the color of a cut cell', () => {
    expect(tableOf(['A'], [[`${RED}a long text${END} more`]], 8)).toBe(`A\n${RED}a long…${END}`);
  });

  it('fits wherever its columns can shrink', () => {
    const cell = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell, cell), { maxLength: 5 }),
        fc.integer({ min: 40, max: 90 }),
        (cells, max) => {
          const shown = cells.map((row) => row.map((text) => text.replace(/\p{C}/gu, '')));
          for (const line of tableOf(titles, shown, max).split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(max);
        },
      ),
    );
  });
});

describe('a list', () => {
  const item = { name: 'x'.repeat(100) };
  const rows = { items: [item], columns: [{ title: 'name', of: () => item.name }], name: () => item.name, none: '' };
  const settings = { output: 'table', color: 'never' } as Settings;
  const stream = { write: () => undefined, columns: 40 };

  it('is cut for a terminal only', async () => {
    const onTerminal = styleFor({ ...stream, isTty: true }, {}, 'never');
    const inFile = styleFor({ ...stream, isTty: false }, {}, 'never');
    expect(await textOf({ rows: rows as never }, settings, onTerminal)).toBe(`NAME\n${'x'.repeat(39)}…`);
    expect(await textOf({ rows: rows as never }, settings, inFile)).toBe(`NAME\n${item.name}`);
  });

  it('is filtered after its fields were selected', async () => {
    const data = [{ name: 'a', tags: {} }];
    const picked = { ...settings, json: 'name', jq: '.[0] | tojson' } as Settings;
    expect((await textOf({ data }, picked, plain)).trim()).toBe('{"name":"a"}');
  });
});
