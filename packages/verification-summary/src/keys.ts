import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { isSupported } from './envelope.ts';

const BLOCK = /-----BEGIN ([A-Z ]+)-----[^-]*-----END \1-----/g;
const MAX_KEYS = 16;

/** Reads private keys in PEM, such as `openssl genpkey` writes them, newest first. Throws for anything else. */
export function readPrivateKeys(pem: string): KeyObject[] {
  return readEach(pem, createPrivateKey, 'private key');
}

/** Reads public keys in PEM. Throws for anything else. */
export function readPublicKeys(pem: string): KeyObject[] {
  return readEach(pem, createPublicKey, 'public key');
}

function readEach(pem: string, read: (pem: string) => KeyObject, noun: string): KeyObject[] {
  const blocks = pem.match(BLOCK) ?? [];
  if (blocks.length === 0) throw new Error(`it contains no ${noun} in PEM`);
  if (blocks.length > MAX_KEYS) throw new Error(`it contains more than ${MAX_KEYS} keys`);
  return blocks.map((block, place) => {
    const key = readOne(block, read, `${noun} ${place + 1}`);
    if (!isSupported(key)) throw new Error(`${noun} ${place + 1} is neither Ed25519 nor ECDSA with P-256`);
    return key;
  });
}

function readOne(block: string, read: (pem: string) => KeyObject, which: string): KeyObject {
  try {
    return read(block);
  } catch (cause) {
    throw new Error(`${which} cannot be read`, { cause });
  }
}
