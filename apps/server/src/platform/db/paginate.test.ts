import { expect, it } from 'vitest';
import { cutSized, LIST_MAX_BYTES, requireFitting } from './paginate.ts';

const MIB = 1024 * 1024;
const rowsOf = (...sizes: number[]) => sizes.map((bytes, place) => ({ id: `${place}`, bytes }));

it.each([
  ['nothing', rowsOf(), 10, '', undefined],
  ['all when they fit', rowsOf(1, 1, 1), 10, '0 1 2', undefined],
  ['as many as are asked for', rowsOf(1, 1, 1), 2, '0 1', '1'],
  ['as many as fit', rowsOf(5 * MIB, 3 * MIB, 1, 1), 10, '0 1', '1'],
  ['the first, however large it is', rowsOf(20 * MIB, 1), 10, '0', '0'],
  ['a large one that is alone', rowsOf(20 * MIB), 10, '0', undefined],
])('a list shows %s', (_, rows, limit, ids, last) => {
  const cut = cutSized(rows, limit);
  expect(cut.shown.map(({ id }) => id).join(' ')).toBe(ids);
  expect(cut.last?.id).toBe(last);
});

it('a numbered page that is too large is refused with what would fit', () => {
  expect(() => requireFitting(rowsOf(LIST_MAX_BYTES))).not.toThrow();
  expect(() => requireFitting(rowsOf(5 * MIB, 3 * MIB, 1))).toThrow(
    expect.objectContaining({
      fields: { 'query.per_page': 'is too large: this page has more than 8 MiB. Request 2 or fewer' },
    }),
  );
});
