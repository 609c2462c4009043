import { beforeAll, describe, expect, it } from 'vitest';
import { FINGERPRINT, givenKeys, givenStatement, PAYLOAD_TYPE } from './given/envelope.ts';
import type { GivenSigstore, Wishes } from './given/sigstore.ts';
import { givenBundle, givenSigstore } from './given/sigstore.ts';
import { verifyInToto } from './in-toto.ts';
import type { TrustedIdentity } from './trust.ts';
import { Unreadable } from './unreadable.ts';

const SUBJECT = 'https://github.com/acme/app/.github/workflows/build.yml@refs/heads/main';
const ISSUER = 'https://token.actions.githubusercontent.com';
const WISHES: Wishes = { subject: SUBJECT, issuer: ISSUER, proof: 'both' };

let sigstore: GivenSigstore;
let bundle: Awaited<ReturnType<typeof givenBundle>>;
beforeAll(async () => {
  sigstore = await givenSigstore();
  bundle = await givenBundle(sigstore, givenStatement(), WISHES);
});

function identity(more: Partial<TrustedIdentity> = {}): TrustedIdentity {
  return { id: 'i1', name: 'ci', issuer: ISSUER, subject: SUBJECT, trustedRoot: sigstore.root, ...more };
}

function verify(document: unknown, ...identities: TrustedIdentity[]) {
  const bytes = Buffer.from(JSON.stringify(document));
  return verifyInToto({ bytes }, { keys: [], identities }, FINGERPRINT);
}

function fault(document: unknown, ...identities: TrustedIdentity[]): string {
  const result = verify(document, ...identities);
  return result.verified ? 'verified' : `${result.fault} as ${result.claimed?.name ?? 'nobody'}`;
}

function reason(document: unknown, ...identities: TrustedIdentity[]): string {
  const result = verify(document, ...identities);
  return result.verified ? 'verified' : result.reason;
}

describe('a Sigstore bundle is verified', () => {
  it('when a trusted identity made it, found among others', () => {
    const other = identity({ id: 'i0', subject: 'https://github.com/acme/other' });
    expect(verify(bundle, other, identity())).toMatchObject({
      verified: true,
      by: { kind: 'identity', id: 'i1', name: 'ci', identity: SUBJECT, issuer: ISSUER },
      statement: {
        predicateType: 'https://slsa.dev/provenance/v1',
        subjects: [{ name: 'app', sha256: FINGERPRINT }],
      },
    });
  });

  it('with the log alone, which also has the time', async () => {
    expect(reason(await givenBundle(sigstore, givenStatement(), { ...WISHES, proof: 'log' }), identity())).toBe(
      'verified',
    );
  });

  it('with a timestamp alone, if the root has no log', async () => {
    const logless = await givenSigstore({ hasLogs: false });
    const stamped = await givenBundle(logless, givenStatement(), { ...WISHES, proof: 'timestamp' });
    expect(reason(stamped, identity({ trustedRoot: logless.root }))).toBe('verified');
  });

  it('when it is signed with a plain key that is trusted', () => {
    const key = givenKeys.p256();
    const payload = Buffer.from(givenStatement());
    const signedWithKey = {
      mediaType: bundle.mediaType,
      verificationMaterial: { publicKey: { hint: 'release' }, tlogEntries: [] },
      dsseEnvelope: {
        payloadType: PAYLOAD_TYPE,
        payload: payload.toString('base64'),
        signatures: [{ sig: key.sign(payload).toString('base64') }],
      },
    };
    const trust = { keys: [{ id: 'k', name: 'release', publicKey: key.pem }], identities: [identity()] };
    const bytes = Buffer.from(JSON.stringify(signedWithKey));
    expect(verifyInToto({ bytes }, trust, FINGERPRINT)).toMatchObject({ verified: true, by: { kind: 'key', id: 'k' } });
    expect(reason(signedWithKey, identity())).toBe('A key signed it, and the org trusts no key.');
    const payloadChanged = Buffer.from(givenStatement({ predicate: { evil: true } })).toString('base64');
    const changed = { ...signedWithKey, dsseEnvelope: { ...signedWithKey.dsseEnvelope, payload: payloadChanged } };
    expect(verifyInToto({ bytes: Buffer.from(JSON.stringify(changed)) }, trust, FINGERPRINT)).toMatchObject({
      fault: 'signature_invalid',
      claimed: { kind: 'key', id: 'k', name: 'release' },
    });
  });
});

describe('a Sigstore bundle is read but not verified', () => {
  it.each([
    ['a part of the subject', 'https://github.com/acme/app'],
    ['a pattern for the subject', '.*'],
    ['the subject and more', `${SUBJECT}-evil`],
    ['the subject in another case', SUBJECT.toUpperCase()],
  ])('when only %s is trusted', (_, subject) => {
    expect(reason(bundle, identity({ subject }))).toBe(
      `It is signed as "${SUBJECT}", which is not a trusted identity.`,
    );
  });

  it('when the identity comes from another issuer', () => {
    expect(reason(bundle, identity({ issuer: 'https://token.actions' }))).toBe(
      `Its identity comes from "${ISSUER}" and not from "https://token.actions".`,
    );
  });

  it('when no identity is trusted', () => {
    expect(reason(bundle)).toBe(`It is signed as "${SUBJECT}", which is not a trusted identity.`);
  });

  it('when there is no proof of the signing time', async () => {
    const timeless = await givenBundle(sigstore, givenStatement(), { ...WISHES, proof: 'none' });
    const roots = [sigstore.root, { ...sigstore.root, tlogs: [] }];
    expect(roots.map((trustedRoot) => reason(timeless, identity({ trustedRoot })))).toEqual([
      'It cannot be verified as "ci": expected 1 timestamps, got 0.',
      'It cannot be verified as "ci": expected 1 timestamps, got 0.',
    ]);
  });

  it('with a code for the error and the signer that it claims', async () => {
    const changed = Buffer.from(givenStatement({ predicate: { evil: true } })).toString('base64');
    const flipped = Buffer.from(bundle.dsseEnvelope.signatures[0]?.sig ?? '', 'base64');
    flipped[12] = (flipped[12] ?? 0) ^ 1;
    const withEnvelope = (more: object) => ({ ...bundle, dsseEnvelope: { ...bundle.dsseEnvelope, ...more } });
    const withMaterial = (more: object) => ({
      ...bundle,
      verificationMaterial: { ...bundle.verificationMaterial, ...more },
    });
    const another = await givenBundle(sigstore, givenStatement(), WISHES);
    const other = await givenSigstore();
    const { certificateAuthorities } = other.root;
    const proof = async (wanted: Wishes['proof']) =>
      givenBundle(sigstore, givenStatement(), { ...WISHES, proof: wanted });
    expect({
      stranger: fault(bundle, identity({ subject: 'https://github.com/acme/other' })),
      issuer: fault(bundle, identity({ issuer: 'https://token.actions' })),
      payload: fault(withEnvelope({ payload: changed }), identity()),
      signature: fault(withEnvelope({ signatures: [{ sig: flipped.toString('base64') }] }), identity()),
      timeless: fault(await proof('none'), identity()),
      unlogged: fault(await proof('timestamp'), identity()),
      otherEntry: fault(withMaterial({ tlogEntries: another.verificationMaterial.tlogEntries }), identity()),
      otherTime: fault(
        withMaterial({ timestampVerificationData: another.verificationMaterial.timestampVerificationData }),
        identity(),
      ),
      otherAuthority: fault(bundle, identity({ trustedRoot: { ...sigstore.root, certificateAuthorities } })),
      noCertificate: fault(withMaterial({ certificate: { rawBytes: 'AAAA' } }), identity()),
      noRoot: fault(bundle, identity({ trustedRoot: {} })),
    }).toEqual({
      stranger: 'signer_unknown as nobody',
      issuer: 'signer_unknown as nobody',
      payload: 'signature_invalid as ci',
      signature: 'signature_invalid as ci',
      timeless: 'timestamp_missing as ci',
      unlogged: 'log_entry_missing as ci',
      otherEntry: 'log_entry_invalid as ci',
      otherTime: 'timestamp_invalid as ci',
      otherAuthority: 'certificate_invalid as ci',
      noCertificate: 'material_unreadable as nobody',
      noRoot: 'trusted_root_invalid as ci',
    });
  });

  it('when the root has a log and the bundle no entry in it', async () => {
    const stamped = await givenBundle(sigstore, givenStatement(), { ...WISHES, proof: 'timestamp' });
    expect(reason(stamped, identity())).toBe('It cannot be verified as "ci": expected 1 tlog entries, got 0.');
  });

  it('when the root has a certificate log and the certificate no entry in it', async () => {
    const logless = await givenSigstore({ hasLogs: false });
    const unlogged = await givenBundle(logless, givenStatement(), WISHES);
    const { certificateAuthorities } = logless.root;
    expect(reason(unlogged, identity({ trustedRoot: { ...sigstore.root, certificateAuthorities } }))).toMatch(
      /^It cannot be verified as "ci": /,
    );
  });

  it('when another authority issued the certificate', async () => {
    const other = await givenSigstore();
    expect(verify(bundle, identity({ trustedRoot: other.root })).verified).toBe(false);
    const { certificateAuthorities } = other.root;
    expect(reason(bundle, identity({ trustedRoot: { ...sigstore.root, certificateAuthorities } }))).toMatch(
      /^It cannot be verified as "ci": /,
    );
  });

  it('when the payload was changed', () => {
    const payload = Buffer.from(givenStatement({ predicate: { evil: true } })).toString('base64');
    expect(reason({ ...bundle, dsseEnvelope: { ...bundle.dsseEnvelope, payload } }, identity())).toMatch(
      /^It cannot be verified as "ci": /,
    );
  });

  it('when its log entry is about another signature', async () => {
    const { verificationMaterial } = await givenBundle(sigstore, givenStatement(), WISHES);
    const { tlogEntries } = verificationMaterial;
    const mixed = { ...bundle, verificationMaterial: { ...bundle.verificationMaterial, tlogEntries } };
    expect(reason(mixed, identity())).toBe('It cannot be verified as "ci": tlog entry signature mismatch.');
  });

  it('when the certificate is invalid', () => {
    const verificationMaterial = { ...bundle.verificationMaterial, certificate: { rawBytes: 'AAAA' } };
    expect(reason({ ...bundle, verificationMaterial }, identity())).toMatch(
      /^Its verification material is unreadable: /,
    );
  });

  it.each([
    ['is empty', () => ({}), 'the trusted root names neither a transparency log nor a timestamp authority'],
    [
      'has a log valid since ever',
      () => ({
        ...sigstore.root,
        tlogs: sigstore.root.tlogs.map((log) => ({ ...log, publicKey: { ...log.publicKey, validFor: undefined } })),
      }),
      'the trusted root has a log without the start of its validity',
    ],
  ])('when the trusted root %s', (_, trustedRoot, text) => {
    expect(reason(bundle, identity({ trustedRoot: trustedRoot() }))).toBe(`It cannot be verified as "ci": ${text}.`);
  });

  it('when the trusted root is not a root at all', () => {
    const roots: unknown[] = [null, 'text', 7, [], { tlogs: 1 }, { tlogs: [null] }];
    expect(roots.map((trustedRoot) => verify(bundle, identity({ trustedRoot })).verified)).toEqual(
      roots.map(() => false),
    );
  });
});

describe('a Sigstore bundle is refused', () => {
  it('when it is about another digest, whoever signed it', async () => {
    const subject = [{ digest: { sha256: 'b'.repeat(64) } }];
    const other = await givenBundle(sigstore, givenStatement({ subject }), WISHES);
    expect(() => verify(other, identity())).toThrow(
      new Unreadable(`The attestation: is about ${'b'.repeat(64)}, not about ${FINGERPRINT}.`),
    );
  });

  it.each([
    [
      'of another media type',
      () => ({ ...bundle, mediaType: `${bundle.mediaType}x` }),
      'mediaType: Invalid option: expected one of ',
    ],
    ['without material', () => ({ ...bundle, verificationMaterial: {} }), 'is not a complete Sigstore bundle.'],
    [
      'that signs a file',
      () => ({ ...bundle, dsseEnvelope: undefined, messageSignature: {} }),
      'signs a file and contains no statement about it.',
    ],
    [
      'with two signatures',
      () => ({ ...bundle, dsseEnvelope: { ...bundle.dsseEnvelope, signatures: [{ sig: 'AAAA' }, { sig: 'AAAA' }] } }),
      'is not a complete Sigstore bundle.',
    ],
    [
      'with many log entries',
      () => ({ ...bundle, verificationMaterial: { ...bundle.verificationMaterial, tlogEntries: Array(11).fill({}) } }),
      'verificationMaterial.tlogEntries: Too big: expected array to have <=10 items.',
    ],
  ])('%s', (_, document, message) => {
    expect(() => verify(document(), identity())).toThrow(Unreadable);
    expect(() => verify(document(), identity())).toThrow(`The attestation: ${message}`);
  });
});
