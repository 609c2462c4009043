import { createHash, createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { fuzz } from '../../test/parse-or-fail.ts';
import { leafHashOf } from '../merkle/hashing.ts';
import { utf8 } from '../text.ts';
import { type EntryLeaf, entryLeafHash, formatLeaf, parseLeaf } from './entry-leaf.ts';
import { actorDigest, payloadDigest } from './keyed-digest.ts';

const nonce = new Uint8Array(32).fill(5);
const leaf: EntryLeaf = {
  actor_digest: actorDigest('Ada Lovelace', nonce),
  actor_id: '0190b1f0-0000-7000-8000-000000000001',
  actor_kind: 'user',
  at: '2026-11-18T10:37:00.123Z',
  id: '0190b1f0-0000-7000-8000-000000000002',
  payload_digest: payloadDigest('{"name":"web"}', nonce),
  subject_id: '0190b1f0-0000-7000-8000-000000000003',
  subject_kind: 'flow',
  subject_seq: 7,
  type: 'flow.created',
  version: 1,
};

it('a leaf is canonical JSON, and its hash that of its bytes', () => {
  const text = formatLeaf(leaf);
  expect(Object.keys(JSON.parse(text))).toEqual([...Object.keys(leaf), 'v'].sort());
  expect(text).toContain('"v":1,"version":1}');
  expect(parseLeaf(text)).toEqual(leaf);
  expect(entryLeafHash(leaf)).toEqual(leafHashOf(utf8(text)));
  expect(text.length).toBeLessThan(1024);
});

it('digests are those of Node, of texts of any script and of bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.uint8Array({ minLength: 32, maxLength: 32 }), (text, key) => {
      const expected = createHmac('sha256', key).update(text).digest('hex');
      expect(payloadDigest(text, key)).toBe(expected);
      expect(payloadDigest(utf8(text), key)).toBe(expected);
      expect(actorDigest(text, key)).toBe(createHash('sha256').update(key).update(text).digest('hex'));
    }),
  );
});

it.each([
  ['{"actor_digest"', '{ "actor_digest"', 'is not canonical JSON'],
  ['"version":1}', '"version":1,"extra":1}', 'is not canonical JSON'],
  ['"version":1}', '"version":1.0}', 'is not canonical JSON'],
  ['"version":1}', '"version":1,"version":1}', 'is not canonical JSON'],
  ['"v":1', '"v":2', 'is not of version 1'],
  ['"subject_seq":7', '"subject_seq":7.5', "subject_seq is '7.5'"],
  ['"subject_seq":7,', '', 'has no subject_seq'],
  ['.123Z', 'Z', 'at is \'"2026-11-18T10:37:00Z"\''],
  ['2026-11-18', '2026-02-30', 'at is'],
  ['"type":"flow.created"', '"type":null', "type is 'null'"],
  ['"payload_digest":"', '"payload_digest":"00', 'payload_digest is'],
  ['{', '[', 'is not JSON'],
])('rejects a leaf with %j replaced by %j', (part, other, problem) => {
  expect(() => parseLeaf(formatLeaf(leaf).replace(part, other))).toThrow(`leaf: ${problem}`);
});

it('no text makes the parser throw anything but a FormatError', async () => {
  await fuzz(parseLeaf, [formatLeaf(leaf), 'null', '[]', '5']);
});
