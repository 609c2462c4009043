import { describe, expect, it } from 'vitest';
import { readPairs, tagChanges, writePairs } from './written-pairs.ts';

describe('pairs, one to a line', () => {
  it('come back as they were written', () => {
    const pairs = { runbook: 'https://example.com/a: b', owner: 'https://example.com/' };
    expect(readPairs(writePairs(pairs, ': '), ': ')).toEqual({ pairs });
    expect(readPairs(writePairs({ risk: 'a=b' }, '='), '=')).toEqual({ pairs: { risk: 'a=b' } });
  });

  it('may have blank lines and spaces around', () => {
    expect(readPairs('\n  a : b \n\n', ': ')).toEqual({ pairs: { a: 'b' } });
  });

  it('tell the line that is none', () => {
    expect(readPairs('a: b\nnothing', ': ')).toEqual({ wrongLine: 'nothing' });
    expect(readPairs('=x', '=')).toEqual({ wrongLine: '=x' });
  });
});

it('tells which tags are set and which removed', () => {
  expect(tagChanges({ a: '1', b: '2', c: '3' }, { a: '1', b: 'x', d: '4' })).toEqual({
    set_tags: { b: 'x', d: '4' },
    remove_tags: ['c'],
  });
});
