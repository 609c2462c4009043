import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import {
  ED25519,
  FormatError,
  formatSigningKey,
  formatVerifierKey,
  parseSigningKey,
  verifierKey,
} from '@waymark/transparency';
import { invalid } from '../../platform/errors.ts';

/** Returns a new private key for the ledger, as settings have it. */
export function newLogKey(name: string): string {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const key = verifierKey(name, ED25519, Buffer.from(x, 'base64url'));
  return formatSigningKey({ ...key, seed: Buffer.from(d, 'base64url') });
}

/** Returns the verifier key of the private key in a file, which is generated unless it exists. */
export async function ensureLogKey(file: string, name: string): Promise<string> {
  try {
    if (!existsSync(file)) writeFileSync(file, `${newLogKey(name)}\n`, { mode: 0o600, flag: 'wx' });
    const key = await parseSigningKey(readFileSync(file, 'utf8').trim());
    if (key.algorithm !== ED25519) throw invalid(`${file} has the key of a witness`);
    return formatVerifierKey(key);
  } catch (error) {
    throw error instanceof FormatError ? invalid(error.message) : error;
  }
}
