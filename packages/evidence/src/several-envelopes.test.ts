import { describe, expect, it } from 'vitest';
import { FINGERPRINT, type GivenKey, givenEnvelope, givenKeys, givenStatement } from './given/envelope.ts';
import { verifyInToto } from './in-toto.ts';
import { Unreadable } from './unreadable.ts';

const SHA512 = 'd'.repeat(128);
const COMMIT = 'c0ffee'.padEnd(40, '0');
const OTHER = 'b'.repeat(64);
const [release, backup, stranger] = [givenKeys.ed25519(), givenKeys.p256(), givenKeys.ed25519()];
const TRUST = {
  keys: [release, backup].map((key, index) => ({ id: `k${index}`, name: `key ${index}`, publicKey: key.pem })),
  identities: [],
};

const about = (digest: object, more: object = {}, ...by: GivenKey[]) =>
  givenEnvelope(
    givenStatement({ subject: [{ name: 'app', digest }], ...more }),
    (by.length > 0 ? by : [release]).map((key) => ({ by: key })),
  );
const own = (more: object = {}, ...by: GivenKey[]) => about({ sha256: FINGERPRINT }, more, ...by);
const from = (commit: string) => ({
  predicate: {
    buildDefinition: {
      resolvedDependencies: [{ uri: 'git+https://github.com/acme/web', digest: { gitCommit: commit } }],
    },
  },
});
const TESTS = { predicateType: 'https://in-toto.io/attestation/test-result/v0.1', predicate: { result: 'PASSED' } };

function verify(document: unknown) {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  return verifyInToto({ bytes: Buffer.from(text) }, TRUST, FINGERPRINT);
}

const lines = (...envelopes: object[]) => envelopes.map((one) => JSON.stringify(one)).join('\n');

describe('several envelopes in one file', () => {
  it.each([
    ['one on each line', lines(own(), own(TESTS))],
    ['one on each line with blank lines', `\n${lines(own(), own(TESTS)).replace('\n', '\n\n')}\n\n`],
    ['a list', [own(), own(TESTS)]],
    ['the response of a registry', { attestations: [{ predicateType: 'x', bundle: own() }, { bundle: own(TESTS) }] }],
  ])('are all read: %s', (_, document) => {
    const read = verify(document);
    expect(read).toMatchObject({ verified: true, by: { id: 'k0' }, others: 0 });
    expect(read.statements.map(({ predicateType, verified }) => [predicateType, verified])).toEqual([
      ['https://slsa.dev/provenance/v1', true],
      [TESTS.predicateType, true],
    ]);
  });

  it('must all be verified, and the first fault counts', () => {
    expect(verify([own(), own(TESTS, stranger)])).toMatchObject({
      verified: false,
      fault: 'signature_unmatched',
      statement: { predicateType: TESTS.predicateType },
      statements: [{ verified: true }, { verified: false, fault: 'signature_unmatched', signers: [], fields: {} }],
    });
  });

  it('do not count when they are about another artifact, whichever key signed them', () => {
    const read = verify([about({ sha256: OTHER }, TESTS, stranger), own(), about({ sha256: OTHER }, TESTS)]);
    expect(read).toMatchObject({ verified: true, others: 2, statements: [{ about: 'sha256' }] });
    expect(read.statements).toHaveLength(1);
  });

  it('are refused when none is about the artifact', () => {
    expect(() => verify([about({ sha256: OTHER }), about({ gitCommit: COMMIT })])).toThrow(
      new Unreadable(`The attestation: is about ${OTHER}, gitCommit:${COMMIT}, not about ${FINGERPRINT}.`),
    );
  });
});

it('an envelope with signatures of several trusted keys names them all', () => {
  const read = verify(own({}, release, stranger, backup));
  expect(read.statements[0]?.signers).toEqual([
    { kind: 'key', id: 'k0', name: 'key 0' },
    { kind: 'key', id: 'k1', name: 'key 1' },
  ]);
});

describe('a statement about another digest of the artifact', () => {
  const both = about({ sha256: FINGERPRINT, sha512: SHA512 });

  it('counts when a verified statement has both digests', () => {
    expect(verify([about({ sha512: SHA512 }, TESTS), both])).toMatchObject({
      verified: true,
      others: 0,
      statements: [{ about: 'sha256' }, { about: 'sha512', fields: { result: 'PASSED' } }],
    });
  });

  it('counts when its commit is the source of verified provenance', () => {
    expect(verify([own(from(COMMIT)), about({ gitCommit: COMMIT }, TESTS)])).toMatchObject({
      verified: true,
      statements: [{ about: 'sha256' }, { about: 'gitCommit', fields: { result: 'PASSED' } }],
    });
  });

  it.each([
    ['nothing links it', [own(), about({ sha512: SHA512 }, TESTS)]],
    [
      'the link is of another subject',
      [
        givenEnvelope(
          givenStatement({
            subject: [{ digest: { sha256: FINGERPRINT } }, { digest: { sha256: OTHER, sha512: SHA512 } }],
          }),
          [{ by: release }],
        ),
        about({ sha512: SHA512 }, TESTS),
      ],
    ],
    ['the digest differs', [both, about({ sha512: 'e'.repeat(128) }, TESTS)]],
    ['the commit differs', [own(from(COMMIT)), about({ gitCommit: 'd'.repeat(40) }, TESTS)]],
    [
      'the commit is one of several of other repositories',
      [
        own({
          predicate: {
            buildDefinition: {
              resolvedDependencies: ['web', 'lib'].map((name) => ({
                uri: `git+https://github.com/acme/${name}`,
                digest: { gitCommit: name === 'web' ? 'd'.repeat(40) : COMMIT },
              })),
            },
          },
        }),
        about({ gitCommit: COMMIT }, TESTS),
      ],
    ],
  ])('does not count when %s', (_, envelopes) => {
    const read = verify(envelopes);
    expect(read).toMatchObject({ verified: true, others: 1 });
    expect(read.statements).toHaveLength(1);
  });

  it('does not count when the link is not verified', () => {
    const forged = about({ sha256: FINGERPRINT, sha512: SHA512 }, {}, stranger);
    expect(verify([forged, about({ sha512: SHA512 }, TESTS)])).toMatchObject({ verified: false, others: 1 });
  });

  it('is refused alone', () => {
    expect(() => verify(about({ sha512: SHA512 }))).toThrow(Unreadable);
    expect(() => verify(about({ gitCommit: COMMIT }))).toThrow(Unreadable);
  });
});

it('shows the subject that matches before others', () => {
  const subject = [
    ...Array.from({ length: 30 }, (_, i) => ({ name: `f${i}`, digest: { sha256: OTHER } })),
    {
      name: 'app',
      digest: { sha256: FINGERPRINT, sha1: 'x' },
    },
  ];
  const [statement] = verify(own({ subject })).statements;
  expect(statement?.subjectCount).toBe(31);
  expect(statement?.subjects).toHaveLength(10);
  expect(statement?.subjects[0]).toEqual({ name: 'app', digests: { sha256: FINGERPRINT, sha1: 'x' } });
});
