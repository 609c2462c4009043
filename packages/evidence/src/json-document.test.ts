import { describe, expect, it } from 'vitest';
import { parseJson } from './json-document.ts';
import { Unreadable } from './unreadable.ts';

describe('JSON', () => {
  it('is read up to 64 levels, and keys may repeat in different objects and as values', () => {
    const deep = '['.repeat(64) + ']'.repeat(64);
    expect(() => parseJson('a', deep)).not.toThrow();
    const text = '{"a":{"b":"a"},"b":["a","a",{"a":1},{"a":2}],"\\"a":"{\\"a\\":1,","__proto__":{"c":1}}';
    const value = parseJson('a', text);
    expect(JSON.stringify(value)).toBe(text);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it.each([
    ['['.repeat(65), 'line 1, column 65: is nested deeper than 64 levels.'],
    ['{"a":1,\n "b":2, "a":3}', 'line 2, column 9: has the key "a" twice in one object.'],
    ['{"a":1,"\\u0061" : 2}', 'line 1, column 8: has the key "a" twice in one object.'],
    ['{"a":{"c":1},"a":1}', 'line 1, column 14: has the key "a" twice in one object.'],
    ['{"__proto__":1,"__proto__":2}', 'line 1, column 16: has the key "__proto__" twice in one object.'],
    ['{"a":\n 1,}', 'line 2, column 4: is not JSON.'],
    ['', 'is not JSON.'],
    ['"a":1', 'line 1, column 4: is not JSON.'],
    ['{"a', 'line 1, column 4: is not JSON.'],
    ['NaN', 'is not JSON.'],
  ])('%j is refused', (text, message) => {
    expect(() => parseJson('a.json', text)).toThrow(new Unreadable(`a.json: ${message}`));
  });
});
