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
  expect(() => openSecretBox(randomBytes(32)).open(sealed, 'sso acme')).toThrow(
    /^the secret was sealed with key [0-9a-f]{10}, which WAYMARK_SECRET_KEY does not hold$/,
  );
  for (const place of [0, 1, 6, 20, 34]) {
    const bytes = Buffer.from(sealed, 'base64');
    bytes[place] = (bytes[place] ?? 0) ^ 1;
    expect(() => box.open(bytes.toString('base64'), 'sso acme')).toThrow();
  }
});

it('opens nothing of which a part of the proof is enough', () => {
  const bytes = Buffer.from(box.seal('', 'sso acme'), 'base64');
  for (const length of [22, 26, 33]) {
    expect(() => box.open(bytes.subarray(0, length).toString('base64'), 'sso acme')).toThrow();
  }
});

it('opens what an older key sealed, and seals with the newest', () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)];
  const sealed = openSecretBox(older).seal('secret', 'c');
  const both = openSecretBox(newer, older);
  expect(both.open(sealed, 'c')).toBe('secret');
  expect(sealed.startsWith(both.prefix)).toBe(false);
  const again = both.seal('secret', 'c');
  expect(again.startsWith(both.prefix)).toBe(true);
  expect(openSecretBox(newer).open(again, 'c')).toBe('secret');
});
