import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseSearch, readSearch, stringifySearch } from './route.ts';

describe('the query of an address', () => {
  it('is texts, and lists of texts where a name is repeated', () => {
    expect(parseSearch('?q=123&tag=a&tag=b%3Ac&empty=')).toEqual({ q: '123', tag: ['a', 'b:c'], empty: '' });
    expect(parseSearch('')).toEqual({});
  });

  it('leaves out empty values', () => {
    expect(stringifySearch({ q: 'a b&c', page: 2, none: undefined, empty: '', tag: ['x', 'y'] })).toBe(
      '?q=a+b%26c&page=2&tag=x&tag=y',
    );
    expect(stringifySearch({ q: undefined })).toBe('');
  });

  it('comes back as it was written', () => {
    const search = { q: '"quoted" & <b>', tag: ['team:a', 'ü'] };
    expect(parseSearch(stringifySearch(search))).toEqual(search);
  });
});

describe('the state of a page', () => {
  const Search = z.object({ q: z.string().optional(), page: z.coerce.number().int().min(1).default(1) });

  it('is what the address says', () => expect(readSearch(Search, { q: 'x', page: '3' })).toEqual({ q: 'x', page: 3 }));

  it('ignores invalid values, and keeps the rest', () => {
    expect(readSearch(Search, { q: 'x', page: 'none' })).toEqual({ q: 'x', page: 1 });
    expect(readSearch(Search, { q: ['a', 'b'], page: '0' })).toEqual({ page: 1 });
  });
});
