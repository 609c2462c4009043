import { describe, expect, it } from 'vitest';
import { fill, withDerived } from './summary.ts';

describe('a template', () => {
  it.each([
    ['{a} did {b.c}', { a: 'ada', b: { c: 7 } }, 'ada did 7'],
    ['did[ {a}][ and {b}]', { b: 'x' }, 'did and x'],
    ['did[ {a} with {b}]', { b: 'x' }, 'did'],
    ['{items.name}', { items: [{ name: 'x' }, { name: 'y' }] }, 'x, y'],
    ['{items}', { items: ['a', 'b', 'c', 'd', 'e'] }, 'a, b, c and 2 more'],
    ['{items.length} of them', { items: [] }, '0 of them'],
    ['x[ {items}]', { items: [] }, 'x'],
    ['x[ {a}]', { a: '' }, 'x'],
  ])('%s is filled', (pattern, payload, expected) => {
    expect(fill(pattern, payload)).toBe(expected);
  });

  it('is not filled when a required value is missing', () => {
    expect(fill('{actor} did {b.c}', { actor: 'ada', b: {} })).toBeUndefined();
    expect(fill('{constructor.name} {a}', { a: 'x' })).toBeUndefined();
    expect(fill('{a}', { a: { b: 1 } })).toBeUndefined();
  });

  it('does not expand values that were filled in', () => {
    expect(fill('{a}[ {b}]', { a: '[{b}]', b: '{a}' })).toBe('[{b}] {a}');
  });

  it('cuts long values, and formats values as the template says', () => {
    expect(fill('{a}', { a: 'x'.repeat(300) })).toBe(`${'x'.repeat(200)}…`);
    expect(fill('flows/{a}?b={b}', { a: 'x/..', b: '&' }, encodeURIComponent)).toBe('flows/x%2F..?b=%26');
  });
});

it('values derived from a payload are available too', () => {
  expect(withDerived({ fingerprint: 'a'.repeat(64), is_compliant: false, enabled: true })).toMatchObject({
    digits: 'aaaaaaaaaaaa',
    verdict: 'non-compliant',
    on_or_off: 'on',
  });
  expect(withDerived({ part: 2, parts: 3 })).toMatchObject({ part_of: 'part 2 of 3' });
  expect(withDerived({ part: 1, parts: 1 })).not.toHaveProperty('part_of');
  expect(withDerived({ set: { team: 'red' } })).toMatchObject({ set_keys: ['team'] });
});
