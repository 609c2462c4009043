import type { KeyObject } from 'node:crypto';
import { constants, generateKeyPairSync, sign } from 'node:crypto';
import { dsse } from '@sigstore/core';

export const FINGERPRINT = 'a'.repeat(64);
export const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

export interface GivenKey {
  pem: string;
  sign: (payload: Buffer, payloadType?: string) => Buffer;
}

export function givenStatement(more: object = {}): string {
  return JSON.stringify({
    _type: 'https://in-toto.io/Statement/v1',
    predicateType: 'https://slsa.dev/provenance/v1',
    subject: [{ name: 'app', digest: { sha256: FINGERPRINT } }],
    predicate: {},
    ...more,
  });
}

export function givenEnvelope(payload: string, signatures: { by: GivenKey; keyid?: string }[]) {
  const bytes = Buffer.from(payload);
  return {
    payloadType: PAYLOAD_TYPE,
    payload: bytes.toString('base64'),
    signatures: signatures.map(({ by, keyid }) => ({
      sig: by.sign(bytes).toString('base64'),
      ...(keyid === undefined ? {} : { keyid }),
    })),
  };
}

export const givenKeys = {
  ed25519: () => keyOf(generateKeyPairSync('ed25519'), null),
  p256: () => keyOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }), 'sha256'),
  p384: () => keyOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }), 'sha384'),
  p384WithSha256: () => keyOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }), 'sha256'),
  rsaPss: () => keyOf(rsa(2048), 'sha256', { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
  rsaPkcs1: () => keyOf(rsa(2048), 'sha256', { padding: constants.RSA_PKCS1_PADDING }),
  smallRsa: () => keyOf(rsa(1024), 'sha256'),
  p521: () => keyOf(generateKeyPairSync('ec', { namedCurve: 'P-521' }), 'sha256'),
};

function rsa(modulusLength: number) {
  return generateKeyPairSync('rsa', { modulusLength });
}

function keyOf(
  { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject },
  digest: string | null,
  options: object = {},
): GivenKey {
  return {
    pem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sign: (payload, payloadType = PAYLOAD_TYPE) =>
      sign(digest, dsse.preAuthEncoding(payloadType, payload), { key: privateKey, ...options }),
  };
}
