import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import { z } from 'zod';

/** A payload with its signatures: https://github.com/secure-systems-lab/dsse. */
export const Envelope = z.object({
  payloadType: z.string().max(200),
  payload: z.base64(),
  signatures: z
    .array(z.object({ keyid: z.string().max(1_000).optional(), sig: z.base64() }))
    .min(1)
    .max(16),
});
export type Envelope = z.infer<typeof Envelope>;

/** Signs with the private key, an Ed25519 one or one of ECDSA with P-256. */
export function signEnvelope(payloadType: string, payload: Buffer, key: KeyObject): Envelope {
  const sig = sign(digestOf(key), signedBytes(payloadType, payload), key);
  return {
    payloadType,
    payload: payload.toString('base64'),
    signatures: [{ keyid: keyId(createPublicKey(key)), sig: sig.toString('base64') }],
  };
}

/** Whether one of the keys made one of the signatures. The id in the envelope is a hint that proves nothing. */
export function isSignedBy({ payloadType, payload, signatures }: Envelope, keys: readonly KeyObject[]): boolean {
  const signed = signedBytes(payloadType, Buffer.from(payload, 'base64'));
  return signatures.some(({ sig }) =>
    keys.some((key) => verify(digestOf(key), signed, key, Buffer.from(sig, 'base64'))),
  );
}

/** The SHA-256 of a public key in DER, as signing tools have it. */
export function keyId(publicKey: KeyObject): string {
  return hash('sha256', publicKey.export({ type: 'spki', format: 'der' }));
}

export function isSupported({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  return type === 'ed25519' || (type === 'ec' && details?.namedCurve === 'prime256v1');
}

function digestOf({ asymmetricKeyType }: KeyObject): 'sha256' | null {
  return asymmetricKeyType === 'ed25519' ? null : 'sha256';
}

function signedBytes(payloadType: string, payload: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `),
    payload,
  ]);
}
