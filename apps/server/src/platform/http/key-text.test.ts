import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hashKey, isKeyText, newKeyText } from './key-text.ts';

it('has a form that scanners can find', () => {
  expect(newKeyText('e')).toMatch(/^wmk_e[0-9A-Za-z]{36}$/);
  expect(isKeyText(newKeyText('u'))).toBe(true);
});

it('notices one wrong, missing or added character without asking the database', () => {
  const key = newKeyText('e');
  fc.assert(
    fc.property(fc.nat({ max: key.length - 1 }), fc.constantFrom('', 'x', 'Z', '0', '_', 'ab'), (at, other) => {
      const typo = key.slice(0, at) + other + key.slice(at + 1);
      return typo === key || !isKeyText(typo);
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => !isKeyText(text)));
});

it('is stored as a SHA-256 only', () => {
  expect(hashKey('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
