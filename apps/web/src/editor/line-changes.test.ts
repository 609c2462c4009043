import { describe, expect, it } from 'vitest';
import { changesInWords, lineChanges } from './line-changes.ts';

const words = (before: string, after: string) => changesInWords(lineChanges(before, after));

describe('the difference of two texts', () => {
  it('is nothing between equal ones, however they end', () => {
    expect(words('a\nb\n', 'a\nb')).toBe('No lines differ');
    expect(words('', '')).toBe('No lines differ');
  });

  it('lists added and removed lines with their numbers', () => {
    expect(lineChanges('a\nb\nc\n', 'a\nx\nc\nd\n')).toEqual([
      { kind: 'removed', line: 2, text: 'b' },
      { kind: 'added', line: 2, text: 'x' },
      { kind: 'added', line: 4, text: 'd' },
    ]);
    expect(words('a\nb\nc\n', 'a\nx\nc\nd\n')).toBe('2 lines added, 1 removed');
  });

  it('keeps the lines between two changes', () => {
    expect(lineChanges('1\n2\n3\n4\n5', '1\n3\n4\n5\n6').map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'removed 2',
      'added 6',
    ]);
  });

  it('is worded in the singular and for no change', () => {
    expect(words('', 'a')).toBe('1 line added');
    expect(words('a\nb', 'b')).toBe('1 line removed');
  });

  it('counts everything as changed when a comparison would cost too much', () => {
    const many = (mark: string) => Array.from({ length: 3000 }, (_, i) => `${mark}${i}`).join('\n');
    expect(words(`${many('a')}\nx`, `${many('b')}\ny`)).toBe('3,001 lines added, 3,001 removed');
  });
});
