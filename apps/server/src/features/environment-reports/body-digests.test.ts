import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { createBodyDigests } from './body-digests.ts';

const body = (char: string, size = 200_000) => Buffer.alloc(size, char);
const sha256 = (bytes: Buffer) => hash('sha256', bytes, 'buffer');

it('returns the digest of the bytes, whatever was sent before', () => {
  const digestOf = createBodyDigests();
  const almost = body('a');
  almost[199_999] = 0;
  for (const bytes of [body('a'), body('a'), almost, body('a', 199_999), body('b'), body('a'), Buffer.alloc(0)]) {
    expect(digestOf('one', bytes)).toEqual(sha256(bytes));
    expect(digestOf('two', bytes)).toEqual(sha256(bytes));
  }
});

it('recognizes a repeated body by comparison while it is cached', () => {
  const digestOf = createBodyDigests(500_000);
  const first = digestOf('one', body('a'));
  expect(digestOf('one', body('a'))).toBe(first);
  digestOf('two', body('b'));
  digestOf('three', body('c'));
  expect(digestOf('one', body('a'))).not.toBe(first);
  expect(digestOf('one', body('a'))).toEqual(first);
});
