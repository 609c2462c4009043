import { createPrivateKey, generateKeyPairSync, verify } from 'node:crypto';
import { expect, it } from 'vitest';
import { sign, signAsymmetric, signedText } from './signature.ts';

it('matches the test vector of the Standard Webhooks project', () => {
  const text = signedText('msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, '{"test": 2432232314}');
  expect(sign('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', text)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

it('matches a test vector of RFC 8032', () => {
  const key = {
    kty: 'OKP',
    crv: 'Ed25519',
    d: Buffer.from('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb', 'hex').toString('base64url'),
    x: Buffer.from('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c', 'hex').toString('base64url'),
  };
  const signature = signAsymmetric(createPrivateKey({ key, format: 'jwk' }), 'r');
  expect(Buffer.from(signature.slice('v1a,'.length), 'base64').toString('hex')).toBe(
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da' +
      '085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  );
});

it('can be verified with the public key alone', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const text = signedText('a', 1, '{"ü":"😀"}');
  const signature = Buffer.from(signAsymmetric(privateKey, text).slice('v1a,'.length), 'base64');
  expect(verify(null, Buffer.from(text), publicKey, signature)).toBe(true);
  expect(verify(null, Buffer.from(signedText('b', 1, '{"ü":"😀"}')), publicKey, signature)).toBe(false);
});

it.each(['', 'secret', 'whsk_AAAA'])('does not sign with %j, which is not a webhook secret', (secret) => {
  expect(() => sign(secret, 'text')).toThrow('the secret of a webhook begins with whsec_');
});
