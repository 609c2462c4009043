import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { openSecretBox } from './secret-box.ts';

const box = openSecretBox(randomBytes(32));

it('opens what it sealed', () => {
  const sealed = box.seal('a client secret ✓', 'sso acme');
  expect(box.open(sealed, 'sso acme')).toBe('a client secret ✓');
  expect(Buffer.from(sealed, 'base64').toString()).not.toContain('secret');
});

it('seals the same secret differently each time', () => {
  expect(box.seal('s', 'c')).not.toBe(box.seal('s', 'c'));
});

it('opens nothing of another place, of another key or with a byte changed', () => {
  const sealed = box.seal('secret', 'sso acme');
  expect(() => box.open(sealed, 'sso other')).toThrow();
  expect(() => openSecretBox(randomBytes(32)).open(sealed, 'sso acme')).toThrow();
  for (const place of [0, 1, 20, 29]) {
    const bytes = Buffer.from(sealed, 'base64');
    bytes[place] = (bytes[place] ?? 0) ^ 1;
    expect(() => box.open(bytes.toString('base64'), 'sso acme')).toThrow();
  }
});

it('opens nothing of which a part of the proof is enough', () => {
  const bytes = Buffer.from(box.seal('', 'sso acme'), 'base64');
  for (const length of [17, 21, 28]) {
    expect(() => box.open(bytes.subarray(0, length).toString('base64'), 'sso acme')).toThrow();
  }
});
