import { concatBytes, fromBase64, fromHex, toBase64, toHex } from '../bytes.ts';
import { FormatError } from '../format-error.ts';
import { sha256 } from '../merkle/hashing.ts';
import { utf8 } from '../text.ts';
import { type Algorithm, isAlgorithm } from './algorithm.ts';
import { PUBLIC_KEY_BYTES, publicKeyOf, SEED_BYTES } from './ed25519.ts';
import { checkKeyName } from './key-name.ts';

/** A key that signatures are verified with, written as a vkey: `example.com/log+530d903a+AekyeRr…`. */
export interface VerifierKey {
  readonly name: string;
  readonly keyId: number;
  readonly algorithm: Algorithm;
  readonly publicKey: Uint8Array;
}

/** A private key, written as an skey: `PRIVATE+KEY+example.com/log+530d903a+AYEK…`. */
export interface SigningKey extends VerifierKey {
  readonly seed: Uint8Array;
}

const VKEY = 'verifier key';
const SKEY = 'signing key';
const SKEY_PREFIX = 'PRIVATE+KEY+';
const MAX_KEY_LENGTH = 1024;
const KEY_ID_BYTES = 4;
const NEWLINE = 0x0a;

export function keyIdOf(name: string, algorithm: number, publicKey: Uint8Array): number {
  const [a = 0, b = 0, c = 0, d = 0] = sha256(concatBytes(utf8(name), Uint8Array.of(NEWLINE, algorithm), publicKey));
  return a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
}

/** Returns the 4 bytes of a key ID. */
export function keyIdBytes(keyId: number): Uint8Array {
  return Uint8Array.of(keyId >>> 24, keyId >>> 16, keyId >>> 8, keyId);
}

export function keyIdFrom(bytes: Uint8Array): number {
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  return a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
}

export function verifierKey(name: string, algorithm: Algorithm, publicKey: Uint8Array): VerifierKey {
  checkKeyName(name, VKEY);
  if (publicKey.length !== PUBLIC_KEY_BYTES)
    throw new FormatError(VKEY, `the public key has ${publicKey.length} bytes, not ${PUBLIC_KEY_BYTES}`);
  return { name, keyId: keyIdOf(name, algorithm, publicKey), algorithm, publicKey };
}

export async function signingKey(name: string, algorithm: Algorithm, seed: Uint8Array): Promise<SigningKey> {
  return { ...verifierKey(name, algorithm, await publicKeyOf(seed)), seed };
}

export function formatVerifierKey({ name, keyId, algorithm, publicKey }: VerifierKey): string {
  return `${name}+${toHex(keyIdBytes(keyId))}+${toBase64(concatBytes(Uint8Array.of(algorithm), publicKey))}`;
}

export function formatSigningKey({ name, keyId, algorithm, seed }: SigningKey): string {
  return `${SKEY_PREFIX}${name}+${toHex(keyIdBytes(keyId))}+${toBase64(concatBytes(Uint8Array.of(algorithm), seed))}`;
}

export function parseVerifierKey(vkey: string): VerifierKey {
  const { name, keyId, algorithm, material } = partsOf(vkey, VKEY);
  const key = verifierKey(name, algorithm, material);
  if (key.keyId !== keyId) throw wrongId(VKEY, key.keyId);
  return key;
}

/** Messages say nothing of the key itself: they end up in logs. */
export async function parseSigningKey(skey: string): Promise<SigningKey> {
  if (!skey.startsWith(SKEY_PREFIX)) throw new FormatError(SKEY, `does not begin with ${SKEY_PREFIX}`);
  const { name, keyId, algorithm, material } = partsOf(skey.slice(SKEY_PREFIX.length), SKEY);
  if (material.length !== SEED_BYTES)
    throw new FormatError(SKEY, `the private key has ${material.length} bytes, not ${SEED_BYTES}`);
  const key = await signingKey(name, algorithm, material);
  if (key.keyId !== keyId) throw wrongId(SKEY, key.keyId);
  return key;
}

interface KeyParts {
  readonly name: string;
  readonly keyId: number;
  readonly algorithm: Algorithm;
  readonly material: Uint8Array;
}

function partsOf(text: string, format: string): KeyParts {
  if (text.length > MAX_KEY_LENGTH) throw new FormatError(format, `is longer than ${MAX_KEY_LENGTH} characters`);
  // Base64 has plus signs too: the first two separate.
  const [, name, id, encoded] = /^([^+]*)\+([^+]*)\+(.*)$/s.exec(text) ?? [];
  if (name === undefined || id === undefined || encoded === undefined)
    throw new FormatError(format, 'is not a name, an ID and a key, separated by plus signs');
  checkKeyName(name, format);
  const keyId = fromHex(id);
  if (keyId?.length !== KEY_ID_BYTES) throw new FormatError(format, 'the ID is not 8 lowercase hex digits');
  const key = fromBase64(encoded);
  if (!key) throw new FormatError(format, 'the key is not base64');
  const [algorithm] = key;
  if (!isAlgorithm(algorithm))
    throw new FormatError(format, `signature type ${algorithm ?? 'none'} is not supported: only 1 and 4 are (Ed25519)`);
  return { name, keyId: keyIdFrom(keyId), algorithm, material: key.slice(1) };
}

function wrongId(format: string, keyId: number): FormatError {
  return new FormatError(
    format,
    `the ID does not belong to the name and the key: it would be ${toHex(keyIdBytes(keyId))}`,
  );
}
