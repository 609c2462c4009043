import { COSIGNATURE, ED25519 } from '../src/notes/algorithm.ts';
import { type SigningKey, signingKey } from '../src/notes/keys.ts';

export const ORIGIN = 'waymark.example/region';

/** The same key in every run, so that a failure can be repeated. */
function seedOf(number: number): Uint8Array {
  return new Uint8Array(32).fill(number);
}

export function givenLogKey(number = 1, name = ORIGIN): Promise<SigningKey> {
  return signingKey(name, ED25519, seedOf(number));
}

export function givenWitnessKey(number: number, name = `witness-${number}.example/w`): Promise<SigningKey> {
  return signingKey(name, COSIGNATURE, seedOf(100 + number));
}
