import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import {
  addTrustedIdentity,
  addTrustedKey,
  listTrustedIdentities,
  listTrustedKeys,
  removeTrustedIdentity,
  removeTrustedKey,
  TRUST_MAX,
} from '@waymark/contract';
import { verifyInToto } from '@waymark/evidence';
import { beforeEach, describe, expect, it } from 'vitest';
import { FINGERPRINT, givenStatement } from '../../../../../packages/evidence/src/given/envelope.ts';
import { givenBundle, givenSigstore } from '../../../../../packages/evidence/src/given/sigstore.ts';
import { startApi, type TestOrg } from '../../../test/harness.ts';
import { readTrust } from './trust.reads.ts';

const api = await startApi();
const sigstore = await givenSigstore();
const ISSUER = 'https://token.actions.githubusercontent.com';
const SUBJECT = 'https://github.com/acme/web/.github/workflows/release.yml@refs/heads/main';
const OTHER_SUBJECT = 'https://github.com/acme/web/.github/workflows/release.yml@refs/tags/v1.2.3';

let org: TestOrg;
let count = 0;
beforeEach(async () => {
  org = await api.givenOrg(`trusting-${++count}`);
  Object.assign(api.parts, { sigstoreRoot: undefined });
});

const pem = ({ publicKey }: { publicKey: KeyObject }) => publicKey.export({ type: 'spki', format: 'pem' }).toString();
const ed25519 = () => pem(generateKeyPairSync('ed25519'));
const as = (role: 'admin' | 'member' | 'reader' = 'admin') => ({ params: { org: org.name }, key: org.keys[role] });
const addKey = (name: string, public_key = ed25519()) =>
  api.call(addTrustedKey, { ...as(), body: { name, public_key } });
const addIdentity = (name: string, more: object = {}) =>
  api.call(addTrustedIdentity, { ...as(), body: { name, issuer: ISSUER, subject: SUBJECT, ...more } });
const removeKey = (id: string) => api.call(removeTrustedKey, { ...as(), params: { org: org.name, key_id: id } });
const removeIdentity = (id: string) =>
  api.call(removeTrustedIdentity, { ...as(), params: { org: org.name, identity_id: id } });
const trustEntries = async () => (await api.journal(org)).filter(({ type }) => type.startsWith('trust.'));

describe('trusting a key', () => {
  it('returns the key, lists it, and records it', async () => {
    const pair = generateKeyPairSync('ed25519');
    const sha256 = createHash('sha256')
      .update(pair.publicKey.export({ type: 'spki', format: 'der' }))
      .digest('hex');
    const answer = await addKey('release', pem(pair));
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body).toEqual({
      id: answer.body.id,
      name: 'release',
      public_key: pem(pair),
      algorithm: 'ed25519',
      sha256,
      flows: null,
      created_at: api.clock.now.getTime() / 1000,
      created_by: `${org.name}-admin`,
    });
    expect(await api.call(listTrustedKeys, as('reader'))).toMatchObject({ status: 200, body: [answer.body] });
    expect(await trustEntries()).toEqual([
      {
        type: 'trust.key_added',
        subject_seq: 1,
        actor: `${org.name}-admin`,
        payload: { name: 'release', algorithm: 'ed25519', sha256, public_key: pem(pair) },
      },
    ]);
    expect(await readTrust(api.db, org.id, null)).toEqual({
      keys: [{ id: answer.body.id, name: 'release', publicKey: pem(pair) }],
      identities: [],
    });
  });

  it.each([
    ['ecdsa-p256', () => generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['ecdsa-p384', () => generateKeyPairSync('ec', { namedCurve: 'P-384' })],
    ['rsa', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
  ])('accepts %s and normalizes it', async (algorithm, pair) => {
    const sent = pem(pair());
    const answer = await addKey('key', `\r\n${sent.replaceAll('\n', '\r\n')}\n`);
    expect(answer).toMatchObject({ status: 201, body: { algorithm, public_key: sent } });
  });

  const NO_PEM = 'must be one PEM public key, starting with BEGIN PUBLIC KEY';
  const OTHER = 'must be Ed25519, ECDSA on P-256 or P-384, or RSA with 2048 to 8192 bits';
  const PRIVATE = 'is a private key: send the public key, and treat the private key as disclosed';
  it.each([
    ['text', () => 'trust me', NO_PEM],
    ['two keys', () => ed25519() + ed25519(), NO_PEM],
    ['broken base64', () => '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n', NO_PEM],
    ['P-521', () => pem(generateKeyPairSync('ec', { namedCurve: 'P-521' })), OTHER],
    ['X25519', () => pem(generateKeyPairSync('x25519')), OTHER],
    ['short RSA', () => pem(generateKeyPairSync('rsa', { modulusLength: 1024 })), OTHER],
    [
      'a private key',
      () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      PRIVATE,
    ],
  ])('refuses %s and records nothing', async (_, text, reason) => {
    const sent = text();
    const answer = await addKey('key', sent);
    expect(answer).toMatchObject({ status: 400, body: { errors: { public_key: reason } } });
    expect(JSON.stringify(answer.body)).not.toContain(sent.split('\n')[1] ?? sent);
    expect(await trustEntries()).toEqual([]);
  });

  it('refuses a taken name and a key that is trusted under another', async () => {
    const text = ed25519();
    await addKey('release', text);
    expect(await addKey('release')).toMatchObject({
      status: 400,
      body: { errors: { name: "is taken: trusted key 'release' already exists" } },
    });
    expect(await addKey('other', text)).toMatchObject({
      status: 400,
      body: { errors: { public_key: "is already trusted, as 'release'" } },
    });
    expect(await trustEntries()).toHaveLength(1);
  });

  it.each([
    [{ public_key: 'x' }, { name: 'is required' }],
    [
      { name: 'a b', public_key: 'x' },
      { name: 'must start with a letter or digit and contain only letters, digits, and . - _ ~' },
    ],
    [{ name: 'a' }, { public_key: 'is required' }],
    [{ name: 'a', public_key: 'x', more: 1 }, { more: 'is unknown' }],
  ])('refuses %j and names the field', async (body, errors) => {
    expect(await api.call(addTrustedKey, { ...as(), body: body as never })).toMatchObject({
      status: 400,
      body: { errors },
    });
  });

  it('trusts once when identical requests race', async () => {
    const text = ed25519();
    const answers = await Promise.all(Array.from({ length: 16 }, () => addKey('release', text)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 15 }, () => 400)]);
    expect(await trustEntries()).toHaveLength(1);
  });

  it('gives a retry with the same idempotency key the same reply', async () => {
    const call = {
      ...as(),
      headers: { 'idempotency-key': 'first' },
      body: { name: 'release', public_key: ed25519() },
    };
    const first = await api.call(addTrustedKey, call);
    expect(first.status).toBe(201);
    expect(await api.call(addTrustedKey, call)).toMatchObject({ status: 201, body: first.body });
    expect(await trustEntries()).toHaveLength(1);
  });

  it(`stops at ${TRUST_MAX}, also when requests race for the last one`, async () => {
    for (let i = 0; i < TRUST_MAX - 1; i++) expect((await addKey(`key-${i}`)).status).toBe(201);
    const answers = await Promise.all([addKey('last'), addKey('one-more')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect(answers.find(({ status }) => status === 400)?.body).toMatchObject({
      message: 'At most 100 can be trusted: remove one first',
      errors: null,
    });
  });
});

describe('removing a key', () => {
  it('ends the trust, leaves the history, and frees the name', async () => {
    const { body: key } = await addKey('release');
    expect(await removeKey(key.id)).toMatchObject({ status: 200, body: "Key 'release' is no longer trusted" });
    expect(await removeKey(key.id)).toMatchObject({
      status: 404,
      body: { message: `Trusted key '${key.id}' does not exist in this org` },
    });
    expect((await api.call(listTrustedKeys, as())).body).toEqual([]);
    expect((await readTrust(api.db, org.id, null)).keys).toEqual([]);
    expect((await trustEntries()).map(({ type, subject_seq }) => [type, subject_seq])).toEqual([
      ['trust.key_added', 1],
      ['trust.key_removed', 2],
    ]);
    const keys = await api.db
      .selectFrom('trusted_key')
      .select(['name', 'removed_at'])
      .where('org_id', '=', org.id)
      .execute();
    expect(keys).toEqual([{ name: 'release', removed_at: api.clock.now }]);
    expect((await addKey('release', key.public_key)).status).toBe(201);
  });

  it('succeeds once when requests race', async () => {
    const { body: key } = await addKey('release');
    const answers = await Promise.all(Array.from({ length: 8 }, () => removeKey(key.id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 404)]);
    expect(await trustEntries()).toHaveLength(2);
  });

  it('does not affect another org', async () => {
    const { body: key } = await addKey('release');
    const other = await api.givenOrg(`other-${count}`);
    const answer = await api.call(removeTrustedKey, {
      params: { org: other.name, key_id: key.id },
      key: other.keys.admin,
    });
    expect(answer.status).toBe(404);
    expect((await api.call(listTrustedKeys, { params: { org: other.name }, key: other.keys.admin })).body).toEqual([]);
    expect((await readTrust(api.db, other.id, null)).keys).toEqual([]);
    expect((await readTrust(api.db, org.id, null)).keys).toHaveLength(1);
  });

  it('requires an id', async () => {
    expect(await removeKey('release')).toMatchObject({
      status: 400,
      body: { errors: { key_id: 'must be the id of a trusted key' } },
    });
  });
});

describe('trusting an identity', () => {
  const sent = { trusted_root: sigstore.root };

  it('stores the root that came with it, and a signature made by it verifies', async () => {
    const answer = await addIdentity('builder', sent);
    const sha256 = createHash('sha256').update(JSON.stringify(sigstore.root)).digest('hex');
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body).toEqual({
      id: answer.body.id,
      name: 'builder',
      issuer: ISSUER,
      subject: SUBJECT,
      matching: 'exact',
      trusted_root_sha256: sha256,
      trusted_root_source: 'sent',
      flows: null,
      created_at: api.clock.now.getTime() / 1000,
      created_by: `${org.name}-admin`,
    });
    expect((await api.call(listTrustedIdentities, as('reader'))).body).toEqual([answer.body]);
    expect((await trustEntries()).map(({ type, payload }) => [type, payload])).toEqual([
      [
        'trust.identity_added',
        {
          name: 'builder',
          issuer: ISSUER,
          subject: SUBJECT,
          trusted_root_sha256: sha256,
          trusted_root_source: 'sent',
        },
      ],
    ]);
    const trust = await readTrust(api.db, org.id, null);
    const bundle = await givenBundle(sigstore, givenStatement(), { issuer: ISSUER, subject: SUBJECT, proof: 'both' });
    const file = Buffer.from(JSON.stringify(bundle));
    expect(verifyInToto({ bytes: file }, trust, FINGERPRINT)).toMatchObject({
      verified: true,
      by: { kind: 'identity', id: answer.body.id, name: 'builder' },
    });
    expect(await removeIdentity(answer.body.id)).toMatchObject({ status: 200 });
    expect(verifyInToto({ bytes: file }, await readTrust(api.db, org.id, null), FINGERPRINT)).toMatchObject({
      verified: false,
    });
  });

  it("uses the installation's root, and keeps that one when the installation's root changes", async () => {
    Object.assign(api.parts, { sigstoreRoot: sigstore.root });
    const answer = await addIdentity('builder', { trusted_root: null });
    expect(answer).toMatchObject({ status: 201, body: { trusted_root_source: 'installation' } });
    Object.assign(api.parts, { sigstoreRoot: (await givenSigstore()).root });
    expect((await readTrust(api.db, org.id, null)).identities).toEqual([
      { id: answer.body.id, name: 'builder', issuer: ISSUER, subject: SUBJECT, trustedRoot: sigstore.root },
    ]);
    expect((await addIdentity('builder-2')).status).toBe(201);
    expect((await readTrust(api.db, org.id, null)).identities[1]?.trustedRoot).not.toEqual(sigstore.root);
  });

  it('is refused when there is no root', async () => {
    expect(await addIdentity('builder')).toMatchObject({
      status: 400,
      body: { errors: { trusted_root: 'is required: this installation has no default root' } },
    });
    expect(await trustEntries()).toEqual([]);
  });

  it.each([
    [{ issuer: 'http://ci.example.com' }, { issuer: 'must be an https URL' }],
    [{ issuer: 'https://' }, { issuer: 'must be an https URL' }],
    [{ issuer: 'https://[' }, { issuer: 'must be an https URL' }],
    [{ subject: '' }, { subject: 'must not be empty' }],
    [{ subject: undefined }, { subject: 'is required' }],
    ...[
      'https://github.com/acme/*',
      '*',
      '^https://github.com/acme/.*$',
      'https://github\\.com/acme/web/.github/workflows/release.yml@refs/heads/main',
    ].map((subject): [object, object] => [
      { subject },
      { subject: 'must not be a pattern: it is matched exactly, so send the complete subject of the certificate' },
    ]),
    ...['acme', 'ada lovelace@example.com', 'ada!example.com', `${SUBJECT} `].map((subject): [object, object] => [
      { subject },
      { subject: 'must be a URI or an email address, exactly as in the certificate' },
    ]),
    ...['https://github.com/acme/web', 'repo://acme/web', 'ada@example.com'].map((subject): [object, object] => [
      { subject },
      {
        subject:
          'must name a workflow and its ref: GitHub Actions signs as https://github.com/OWNER/REPO/.github/workflows/FILE.yml@REF',
      },
    ]),
    ...[`${ISSUER}/`, 'https://Token.actions.githubusercontent.com'].map((issuer): [object, object] => [
      { issuer },
      { issuer: `must be exactly '${ISSUER}': it is matched exactly` },
    ]),
    [
      { issuer: 'https://*.example.com' },
      { issuer: 'must not contain *: it is matched exactly, so send the complete issuer' },
    ],
    ...['https://ci.example.com/?a=1', 'https://ci.example.com#a', 'https://me@ci.example.com'].map(
      (issuer): [object, object] => [{ issuer }, { issuer: 'must not have a query, a fragment, or a user name' }],
    ),
    [{ issuer: 'https://CI.example.com' }, { issuer: 'must have its host in lower case: it is matched exactly' }],
    [{ trusted_root: [] }, { trusted_root: 'must be an object' }],
    [{ trusted_root: {} }, { trusted_root: expect.stringMatching(/^is not a Sigstore trusted root: mediaType: /) }],
  ])('refuses %j and names the field', async (more, errors) => {
    expect(await addIdentity('builder', { ...sent, ...more })).toMatchObject({ status: 400, body: { errors } });
    expect(await trustEntries()).toEqual([]);
  });

  it.each([
    { issuer: 'https://accounts.google.com', subject: 'release@example.com' },
    { issuer: 'https://acme.eu.auth0.com/', subject: 'spiffe://example.com/ci' },
    { issuer: 'https://ci.example.com:8443/realms/ci', subject: 'https://ci.example.com/jobs/1' },
    { issuer: 'https://gitlab.com', subject: 'https://gitlab.com/acme/web//.gitlab-ci.yml@refs/heads/main' },
  ])('accepts %j', async (identity) => {
    expect((await addIdentity('builder', { ...sent, ...identity })).status).toBe(201);
  });

  it('refuses a taken name and an identity that is trusted under another', async () => {
    await addIdentity('builder', sent);
    expect(await addIdentity('builder', { ...sent, subject: OTHER_SUBJECT })).toMatchObject({
      status: 400,
      body: { errors: { name: "is taken: trusted identity 'builder' already exists" } },
    });
    expect(await addIdentity('other', sent)).toMatchObject({
      status: 400,
      body: { errors: { subject: "is already trusted, as 'builder'" } },
    });
    expect((await addIdentity('other', { ...sent, subject: OTHER_SUBJECT })).status).toBe(201);
  });

  it('happens once when identical requests race, and once when they are retried', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => addIdentity('builder', sent)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 7 }, () => 400)]);
    expect(await trustEntries()).toHaveLength(1);
    const id = answers.find(({ status }) => status === 201)?.body.id ?? '';
    const removals = await Promise.all(Array.from({ length: 4 }, () => removeIdentity(id)));
    expect(removals.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
    expect((await trustEntries()).map(({ type }) => type)).toEqual(['trust.identity_added', 'trust.identity_removed']);
  });

  it('belongs to its org alone', async () => {
    const { body: identity } = await addIdentity('builder', sent);
    const other = await api.givenOrg(`other-identity-${count}`);
    const inOther = { params: { org: other.name, identity_id: identity.id }, key: other.keys.admin };
    expect((await api.call(removeTrustedIdentity, inOther)).status).toBe(404);
    expect((await api.call(listTrustedIdentities, inOther)).body).toEqual([]);
    expect(await api.call(listTrustedIdentities, { ...as(), key: other.keys.admin })).toMatchObject({ status: 403 });
  });
});

it.each([
  [addTrustedKey, 'member', 403],
  [addTrustedIdentity, 'member', 403],
  [removeTrustedKey, 'member', 403],
  [removeTrustedIdentity, 'member', 403],
  [listTrustedKeys, 'reader', 200],
  [listTrustedIdentities, 'reader', 200],
] as const)('$id answers a %s with %i', async (contract, role, status) => {
  expect((await api.call(contract, as(role))).status).toBe(status);
});

describe('trusting an identity by a pattern', () => {
  const TAGS = 'https://github.com/acme/web/.github/workflows/release.yml@refs/tags/*';
  const add = (subject: string) => addIdentity('tags', { subject, matching: 'pattern', trusted_root: sigstore.root });
  const signedAs = (subject: string) =>
    givenBundle(sigstore, givenStatement(), { issuer: ISSUER, subject, proof: 'both' });

  it('verifies what matches as a whole, and names who signed', async () => {
    const answer = await add(TAGS);
    expect(answer).toMatchObject({ status: 201, body: { subject: TAGS, matching: 'pattern', flows: null } });
    const trust = await readTrust(api.db, org.id, null);
    const verified = async (subject: string) =>
      verifyInToto({ bytes: Buffer.from(JSON.stringify(await signedAs(subject))) }, trust, FINGERPRINT);
    expect(await verified(OTHER_SUBJECT)).toMatchObject({
      verified: true,
      by: { kind: 'identity', id: answer.body.id, identity: OTHER_SUBJECT, issuer: ISSUER },
    });
    for (const other of [SUBJECT, `${OTHER_SUBJECT}/x`, OTHER_SUBJECT.replace('acme', 'evil')]) {
      expect(await verified(other)).toMatchObject({ verified: false, fault: 'signer_unknown' });
    }
    expect((await trustEntries()).map(({ type, payload }) => [type, payload])).toMatchObject([
      ['trust.identity_added', { subject: TAGS, is_pattern: true, flows: null }],
    ]);
  });

  it.each(['https://github.com/acme/**', 'https://gitlab.com/acme/web//.gitlab-ci.yml@refs/tags/*', '*@example.com'])(
    'accepts %s',
    async (subject) => {
      expect((await add(subject)).status).toBe(201);
    },
  );

  it.each([
    ['**', 'must begin with a scheme'],
    ['*', 'must begin with a scheme'],
    ['https://**', 'must begin with a scheme'],
    ['https://github.com/**', 'must begin with a scheme'],
    ['https://github.com/*/web/.github/workflows/release.yml@refs/tags/v1', 'must begin with a scheme'],
    ['https://*/acme/web', 'must begin with a scheme'],
    ['*@*', 'must begin with a scheme'],
    ['*@*.example.com', 'must begin with a scheme'],
    ['https://github.com/acme/***', 'must be a pattern without spaces'],
    ['https://github.com/acme/a b*', 'must be a pattern without spaces'],
    [SUBJECT, 'must contain * or **'],
  ])('refuses %s', async (subject, reason) => {
    expect(await add(subject)).toMatchObject({
      status: 400,
      body: { errors: { subject: expect.stringContaining(reason) } },
    });
  });
});
