import { expect, it } from 'vitest';
import { flipped } from '../../test/naive-tree.ts';
import { fuzz } from '../../test/parse-or-fail.ts';
import { toHex } from '../bytes.ts';
import { ED25519 } from './algorithm.ts';
import {
  formatSigningKey,
  formatVerifierKey,
  keyIdBytes,
  parseSigningKey,
  parseVerifierKey,
  signingKey,
} from './keys.ts';
import { formatNote, MAX_SIGNATURES, parseNote } from './note.ts';
import { signerOf, signNote } from './sign-note.ts';
import { verifyNote } from './verify-note.ts';

/** The example of golang.org/x/mod/sumdb/note. */
const TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const SIGNED = `${TEXT}\n\u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`;
const VKEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const SKEY = 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz';
const key = parseVerifierKey(VKEY);

it('the known key reads, and has the known ID', () => {
  expect(key).toMatchObject({ name: 'PeterNeumann', algorithm: ED25519, keyId: 0xc74f20a3 });
  expect(toHex(keyIdBytes(key.keyId))).toBe('c74f20a3');
  expect(formatVerifierKey(key)).toBe(VKEY);
});

it('the known note verifies, and is written back as it was', async () => {
  const note = parseNote(SIGNED);
  expect(note.text).toBe(TEXT);
  expect(formatNote(note)).toBe(SIGNED);
  expect(await verifyNote(note, [key])).toEqual({ verified: [{ key, time: undefined }], failed: [] });
});

it('the known private key signs the known note, as signatures of Ed25519 are the same every time', async () => {
  const signing = await parseSigningKey(SKEY);
  expect(signing.publicKey).toEqual(key.publicKey);
  expect(formatSigningKey(signing)).toBe(SKEY);
  expect(formatNote({ text: TEXT, signatures: [await signNote(TEXT, signerOf(signing))] })).toBe(SIGNED);
});

it('a changed text, signature or key fails, and an unknown key is ignored', async () => {
  const note = parseNote(SIGNED);
  const [signature] = note.signatures;
  if (!signature) throw new Error('the note has no signature');
  expect(await verifyNote({ ...note, text: TEXT.replace('answer', 'anwser') }, [key])).toEqual({
    verified: [],
    failed: [key],
  });
  for (const bit of [0, 100, 511]) {
    const changed = { ...signature, signature: flipped(signature.signature, bit) };
    expect(await verifyNote({ ...note, signatures: [changed] }, [key])).toEqual({ verified: [], failed: [key] });
    const other = { ...key, publicKey: flipped(key.publicKey, bit % 256) };
    expect((await verifyNote(note, [other])).verified).toEqual([]);
  }
  const renamed = await signingKey('someone.else', ED25519, new Uint8Array(32));
  expect(await verifyNote(note, [renamed])).toEqual({ verified: [], failed: [] });
  // One of two signatures by a known key is wrong.
  const both = [signature, { ...signature, signature: flipped(signature.signature, 7) }];
  expect(await verifyNote({ ...note, signatures: both }, [key])).toMatchObject({ failed: [key] });
});

it('the text ends at the last blank line, so it can have some itself', () => {
  const signatures = SIGNED.slice(SIGNED.indexOf('\u{2014}'));
  expect(parseNote(`a\n\nb\n\n${signatures}`).text).toBe('a\n\nb\n');
  expect(parseNote(`\n\n${signatures}`).text).toBe('\n');
});

const LINE = SIGNED.slice(SIGNED.indexOf('\u{2014}'));

it.each([
  ['', 'has no blank line between text and signatures'],
  ['text\n\n', 'has no signature'],
  [`text\n\n${LINE.trimEnd()}`, 'the last line does not end with a newline'],
  [`text\r\n\n${LINE}`, 'line 1: has a control character'],
  [`text\n\n${LINE}${LINE.replace('\u{2014}', '-')}`, 'line 4: is not a signature'],
  [`text\n\n${LINE.replace(' x08', '  x08')}`, 'line 3: is not a signature'],
  [`text\n\n${LINE.replace('nAM=', 'nAN=')}`, 'line 3: the signature is not base64'],
  [`text\n\n${LINE.replace('nAM=', 'nAM')}`, 'line 3: the signature is not base64'],
  ['text\n\n\u{2014} a x08goA==\n', 'line 3: the signature is too short'],
  [`text\n\n${LINE.replace('PeterNeumann', 'a+b')}`, "line 3: 'a+b' is not the name of a key"],
  [`text\n\n${LINE.replace('PeterNeumann', 'a\u{a0}b')}`, 'is not the name of a key: it has a space or a plus'],
  [`text\n\n${LINE.repeat(MAX_SIGNATURES + 1)}`, 'has more than 64 signatures'],
  ['\u{d800}\n\n', 'is not valid UTF-8'],
  ['a'.repeat(600_000), 'is longer than 524288 bytes'],
])('rejects %j', (text, problem) => {
  expect(() => parseNote(text)).toThrow(problem);
});

it('bytes that are not UTF-8 are rejected', () => {
  expect(() => parseNote(Uint8Array.of(0xff, 0x0a))).toThrow('signed note: is not valid UTF-8');
  expect(parseNote(new TextEncoder().encode(SIGNED))).toEqual(parseNote(SIGNED));
});

it.each([
  ['PeterNeumann', 'is not a name, an ID and a key'],
  [VKEY.replace('c74f20a3', 'c74f20a4'), 'the ID does not belong to the name and the key: it would be c74f20a3'],
  [VKEY.replace('c74f20a3', 'C74F20A3'), 'the ID is not 8 lowercase hex digits'],
  [VKEY.replace('Peter', 'Paul'), 'the ID does not belong'],
  [VKEY.replace('+ARpc', '+BRpc'), 'signature type 5 is not supported'],
  [VKEY.slice(0, -4), 'the public key has 29 bytes, not 32'],
  [VKEY.slice(0, -1), 'the key is not base64'],
  ['+c74f20a3+ARpc', 'the name of the key is empty'],
])('rejects the key %s', (vkey, problem) => {
  expect(() => parseVerifierKey(vkey)).toThrow(problem);
});

it('an error about a private key does not show it', async () => {
  const wrong = SKEY.replace('c74f20a3', '00000000');
  const error = await parseSigningKey(wrong).catch((reason: Error) => reason.message);
  expect(error).toBe('signing key: the ID does not belong to the name and the key: it would be c74f20a3');
  await expect(parseSigningKey(VKEY)).rejects.toThrow('does not begin with PRIVATE+KEY+');
});

it('no text makes a parser throw anything but a FormatError', async () => {
  await fuzz(parseNote, [SIGNED]);
  await fuzz(parseVerifierKey, [VKEY]);
  await fuzz(parseSigningKey, [SKEY]);
});
