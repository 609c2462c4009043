import { createPrivateKey, sign as signWith } from 'node:crypto';
import { promisify } from 'node:util';
import {
  ED25519,
  formatNote,
  formatVerifierKey,
  parseSigningKey,
  type Signer,
  type SigningKey,
  signNote,
  type VerifierKey,
  verifierKey,
} from '@waymark/transparency';

/** Signs for the logs of an installation. The private key may be elsewhere, such as in a KMS. */
export interface LogKey {
  readonly publicKey: Uint8Array;
  /** Returns the 64 bytes of an Ed25519 signature. */
  readonly sign: (message: Uint8Array) => Promise<Uint8Array>;
}

const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const signEd25519 = promisify(signWith) as (algorithm: null, data: Uint8Array, key: object) => Promise<Buffer>;

/** Holds a private key in memory. OpenSSL signs with it on other threads. */
export function logKeyOf({ publicKey, seed, algorithm }: SigningKey): LogKey {
  if (algorithm !== ED25519) throw new RangeError('the key is one for cosignatures, of a witness');
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  return { publicKey, sign: (message) => signEd25519(null, message, key) };
}

/** Reads keys as `waymark-server ledger key` writes them. */
export async function parseLogKeys(texts: readonly string[]): Promise<LogKey[]> {
  return Promise.all(texts.map(async (text) => logKeyOf(await parseSigningKey(text))));
}

/** Each log has its own name, which is that of its verifier keys. */
export function verifierKeysOf(origin: string, keys: readonly Pick<LogKey, 'publicKey'>[]): VerifierKey[] {
  return keys.map(({ publicKey }) => verifierKey(origin, ED25519, publicKey));
}

export function verifierKeyTexts(origin: string, keys: readonly Pick<LogKey, 'publicKey'>[]): string[] {
  return verifierKeysOf(origin, keys).map(formatVerifierKey);
}

/** Returns the note of a text with a signature of each key, so that those who trust one of them can verify it. */
export async function signAs(origin: string, keys: readonly LogKey[], text: string): Promise<string> {
  const signers: Signer[] = keys.map(({ publicKey, sign }) => ({
    key: verifierKey(origin, ED25519, publicKey),
    sign,
  }));
  const signatures = await Promise.all(signers.map((signer) => signNote(text, signer)));
  return formatNote({ text, signatures });
}
