import { describe, expect, it } from 'vitest';
import { readPairs, tagChanges, writePairs } from './written-pairs.ts';

describe('pairs, one to a line', () => {
  it('come back as they were written', () => {
    const pairs = { runbook: 'https://example.com/a: b', owner: 'https://example.com/' };
    expect(readPairs(writePairs(pairs, ': '), ': ')).toEqual({ pairs });
    expect(readPairs(writePairs({ risk: 'a=b' }, '='), '=')).toEqual({ pairs: { risk: 'a=b' } });
  });

  it('may have colons in the name of a link', () => {
    const pairs = { 'ISO 27001:2022': 'https://example.com/iso', 'Runbook: prod': 'https://example.com/r?a: b' };
    expect(readPairs(writePairs(pairs, ': '), ': ')).toEqual({ pairs });
  });

  it('need no space between', () => {
    expect(readPairs('a:b\nc:https://example.com/', ': ')).toEqual({ pairs: { a: 'b', c: 'https://example.com/' } });
  });

  it('may have blank lines and spaces around', () => {
    expect(readPairs('\n  a : b \n\n', ': ')).toEqual({ pairs: { a: 'b' } });
  });

  it('name the line that is not a pair', () => {
    expect(readPairs('a: b\nnothing', ': ')).toEqual({ wrongLine: 'nothing' });
    expect(readPairs('=x', '=')).toEqual({ wrongLine: '=x' });
  });
});

it('returns the tags to set and to remove', () => {
  expect(tagChanges({ a: '1', b: '2', c: '3' }, { a: '1', b: 'x', d: '4' })).toEqual({
    set_tags: { b: 'x', d: '4' },
    remove_tags: ['c'],
  });
});
