import { createPublicKey, hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { GivenKey } from './given/envelope.ts';
import { FINGERPRINT, givenEnvelope, givenKeys, givenStatement } from './given/envelope.ts';
import { verifyInToto } from './in-toto.ts';
import type { Trust } from './trust.ts';
import { Unreadable } from './unreadable.ts';

const STATEMENT = {
  predicateType: 'https://slsa.dev/provenance/v1',
  subjects: [{ name: 'app', sha256: FINGERPRINT }],
};
const release = givenKeys.ed25519();
const stranger = givenKeys.ed25519();

function trusting(...keys: GivenKey[]): Trust {
  return {
    keys: keys.map((key, index) => ({ id: `k${index}`, name: `key ${index}`, publicKey: key.pem })),
    identities: [],
  };
}

function verify(document: unknown, trust: Trust = trusting(release), fingerprint = FINGERPRINT) {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  return verifyInToto({ bytes: Buffer.from(text) }, trust, fingerprint);
}

const signed = givenEnvelope(givenStatement(), [{ by: release }]);

const digit = (i: number) => `${i}`.repeat(64);

describe('an envelope of a trusted key is verified', () => {
  it.each(['ed25519', 'p256', 'p384', 'p384WithSha256', 'rsaPss', 'rsaPkcs1'] as const)('%s', (kind) => {
    const key = givenKeys[kind]();
    expect(verify(givenEnvelope(givenStatement(), [{ by: key }]), trusting(stranger, key))).toMatchObject({
      verified: true,
      by: { kind: 'key', id: 'k1', name: 'key 1' },
      statement: STATEMENT,
    });
  });

  it('if only one of its signatures is trusted', () => {
    const envelope = givenEnvelope(givenStatement(), [{ by: stranger }, { by: release }]);
    expect(verify(envelope)).toMatchObject({ verified: true, by: { id: 'k0' } });
  });

  it.each(['k1', 'key 1', 'unknown', ''])('with the key id %j', (keyid) => {
    const envelope = givenEnvelope(givenStatement(), [{ by: release, keyid }]);
    expect(verify(envelope, trusting(stranger, release))).toMatchObject({ verified: true, by: { id: 'k1' } });
  });

  it('beside a trusted key that is damaged', () => {
    const trust = trusting(release);
    const damaged = { id: 'bad', name: 'bad', publicKey: '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----' };
    expect(verify(signed, { ...trust, keys: [damaged, ...trust.keys] })).toMatchObject({ verified: true });
  });

  it('on one line, with statement v0.1, a predicate media type or the other base64 alphabet', () => {
    expect(verify(`${JSON.stringify(signed)}\n\n`)).toMatchObject({ verified: true });
    const old = givenStatement({ _type: 'https://in-toto.io/Statement/v0.1' });
    expect(verify(givenEnvelope(old, [{ by: release }]))).toMatchObject({ verified: true });
    const payloadType = 'application/vnd.in-toto.provenance+json';
    const sig = release.sign(Buffer.from(givenStatement()), payloadType).toString('base64');
    expect(verify({ ...signed, payloadType, signatures: [{ sig }] })).toMatchObject({ verified: true });
    const urlSafe = signed.signatures.map((one) => ({ sig: one.sig.replaceAll('+', '-').replaceAll('/', '_') }));
    expect(verify({ ...signed, signatures: urlSafe })).toMatchObject({ verified: true });
  });

  it('for any of its subjects, and names those with a SHA-256', () => {
    const other = 'b'.repeat(64);
    const subject = [
      { name: 'src', digest: { gitCommit: 'c'.repeat(40) } },
      { digest: { sha256: other } },
      { name: 'app', digest: { sha256: FINGERPRINT } },
    ];
    expect(verify(givenEnvelope(givenStatement({ subject }), [{ by: release }])).statement.subjects).toEqual([
      { name: '', sha256: other },
      { name: 'app', sha256: FINGERPRINT },
    ]);
  });
});

describe('an envelope is read but not verified', () => {
  const refused = {
    verified: false,
    fault: 'signature_unmatched',
    reason: 'No trusted key matches its signature: another key signed it, or it was changed after signing.',
    claimed: null,
    statement: STATEMENT,
  };

  it('when no trusted key signed it', () => {
    expect(verify(givenEnvelope(givenStatement(), [{ by: stranger }]))).toMatchObject(refused);
    expect(verify(signed, { keys: [], identities: [] })).toMatchObject({
      ...refused,
      fault: 'signer_unknown',
      reason: 'A key signed it, and the org trusts no key.',
    });
  });

  const named = (keyid: string) => givenEnvelope(givenStatement(), [{ by: release, keyid }]);
  const spki = createPublicKey(release.pem).export({ type: 'spki', format: 'der' });
  const invalid = {
    ...refused,
    fault: 'signature_invalid',
    reason:
      'Its signature names the trusted key "key 0" and is not valid: it was changed after signing, or another key signed it.',
    claimed: { kind: 'key', id: 'k0', name: 'key 0' },
  };

  it.each([
    ['its id', 'k0'],
    ['its name', 'key 0'],
    ['its SHA-256 in hex', hash('sha256', spki, 'hex')],
    ['its SHA-256 in base64', hash('sha256', spki, 'base64')],
  ])('as an invalid signature of a trusted key, when it names that key by %s and was changed', (_, keyid) => {
    const envelope = named(keyid);
    expect(verify(envelope)).toMatchObject({ verified: true });
    const payload = Buffer.from(givenStatement({ predicate: { evil: true } })).toString('base64');
    const flipped = Buffer.from(envelope.signatures[0]?.sig ?? '', 'base64');
    flipped[7] = (flipped[7] ?? 0) ^ 1;
    const signatures = [{ keyid, sig: flipped.toString('base64') }];
    expect(verify({ ...envelope, payload })).toMatchObject(invalid);
    expect(verify({ ...envelope, signatures })).toMatchObject(invalid);
    const beside = { keyid: 'stranger', sig: stranger.sign(Buffer.from(givenStatement())).toString('base64') };
    expect(verify({ ...envelope, signatures: [beside, ...signatures] })).toMatchObject(invalid);
  });

  it('when its payload, its type or its signature was changed', () => {
    const payload = Buffer.from(givenStatement({ predicate: { evil: true } })).toString('base64');
    expect(verify({ ...signed, payload })).toMatchObject(refused);
    expect(verify({ ...signed, payloadType: 'application/vnd.in-toto.x+json' })).toMatchObject(refused);
    const sig = Buffer.alloc(64).toString('base64');
    expect(verify({ ...signed, signatures: [{ sig }] })).toMatchObject(refused);
  });

  it('when its key id names another trusted key than the one that signed', () => {
    expect(verify(named('key 0'), trusting(stranger, release))).toMatchObject(invalid);
  });

  it.each(['smallRsa', 'p521'] as const)('when the key is of a kind that is not accepted: %s', (kind) => {
    const key = givenKeys[kind]();
    expect(verify(givenEnvelope(givenStatement(), [{ by: key }]), trusting(key))).toMatchObject(refused);
  });

  it('when the trusted text is not a key at all', () => {
    const trust = { keys: [{ id: 'k', name: 'k', publicKey: 'not a key' }], identities: [] };
    expect(verify(signed, trust)).toMatchObject(refused);
  });
});

describe('a file that is not an attestation about the artifact is refused', () => {
  const withPayload = (payload: string) => givenEnvelope(payload, [{ by: release }]);
  const other = 'b'.repeat(64);

  it.each([
    [
      'another digest',
      withPayload(givenStatement({ subject: [{ name: 'app', digest: { sha256: other } }] })),
      `is about ${other}, not about ${FINGERPRINT}.`,
    ],
    [
      'seven other digests',
      withPayload(givenStatement({ subject: Array.from({ length: 7 }, (_, i) => ({ digest: { sha256: digit(i) } })) })),
      `is about ${[0, 1, 2, 3, 4].map(digit).join(', ')} and 2 more, not about ${FINGERPRINT}.`,
    ],
    [
      'no SHA-256',
      withPayload(givenStatement({ subject: [{ digest: { sha512: 'c' } }] })),
      `is about sha512:c, not about ${FINGERPRINT}.`,
    ],
    [
      'a digest only in a prototype',
      withPayload(
        `{"_type":"https://in-toto.io/Statement/v1","predicateType":"p","subject":[{"digest":{"__proto__":{"sha256":"${FINGERPRINT}"}}}]}`,
      ),
      `is about nothing with a SHA-256, not about ${FINGERPRINT}.`,
    ],
    [
      'a digest in upper case',
      withPayload(givenStatement({ subject: [{ digest: { sha256: 'A'.repeat(64) } }] })),
      'payload: subject[0].digest.sha256: is not a SHA-256 in lower-case hex.',
    ],
    [
      'a key twice in the payload',
      withPayload(givenStatement().replace('{', '{"subject":[],')),
      'payload: line 1, column 106: has the key "subject" twice in one object.',
    ],
    [
      'another kind of statement',
      withPayload(givenStatement({ _type: 'https://in-toto.io/Statement/v2' })),
      'payload: _type: Invalid option: expected one of "https://in-toto.io/Statement/v1"|"https://in-toto.io/Statement/v0.1".',
    ],
    ['a payload that is not JSON', withPayload('hello'), 'payload: is not JSON.'],
    ['a payload that is not base64', { ...signed, payload: '{"a":1}' }, 'payload: is not base64.'],
    ['a payload with hidden bits', { ...signed, payload: 'eyJ9' + 'eR==' }, 'payload: is not base64.'],
    [
      'another payload type',
      { ...signed, payloadType: 'text/plain' },
      'payloadType: is not the type of an in-toto statement.',
    ],
    [
      'a payload type with a tail',
      { ...signed, payloadType: 'application/vnd.in-toto+json; x' },
      'payloadType: is not the type of an in-toto statement.',
    ],
    ['no signature', { ...signed, signatures: [] }, 'signatures: contains no signature.'],
    [
      'many signatures',
      { ...signed, signatures: Array.from({ length: 17 }, () => ({ sig: 'AAAA' })) },
      'signatures: contains more than 16 signatures.',
    ],
    [
      'a key twice',
      JSON.stringify(signed).replace('{', '{"payload":"AAAA",'),
      'line 1, column 64: has the key "payload" twice in one object.',
    ],
    [
      'an envelope that is none, behind another',
      `${JSON.stringify(signed)}\n{"hello":1}\n`,
      'envelope 2: is neither a DSSE envelope (no "payloadType") nor a Sigstore bundle.',
    ],
    ['no envelope', '[]', 'contains no envelope.'],
    ['too many envelopes', Array.from({ length: 101 }, () => signed), 'contains more than 100 envelopes.'],
    [
      'too many lines',
      Array.from({ length: 101 }, () => JSON.stringify(signed)).join('\n'),
      'contains more than 100 envelopes.',
    ],
    ['something else', { hello: 1 }, 'is neither a DSSE envelope (no "payloadType") nor a Sigstore bundle.'],
    ['a list of lists', [[signed]], 'is neither a DSSE envelope (no "payloadType") nor a Sigstore bundle.'],
  ])('%s', (_, document, message) => {
    expect(() => verify(document)).toThrow(new Unreadable(`The attestation: ${message}`));
  });
});
