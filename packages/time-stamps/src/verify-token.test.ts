import { afterAll, expect, it } from 'vitest';
import { isFull } from '../../../tools/test-size.ts';
import { type Issued, openAuthority, PROPER, RSA } from '../test/authority.ts';
import { createRequest, openResponse } from './exchange.ts';
import { parseRoots } from './pem.ts';
import { parseSignedData } from './signed-data.ts';
import { verifyToken } from './verify-token.ts';

const authority = await openAuthority();
afterAll(() => authority.close());

const root = await authority.root();
const roots = parseRoots(await authority.read(root.certificate));
const signer = await authority.issue(root);
const proper = ['keyUsage=digitalSignature', 'extendedKeyUsage=critical,timeStamping'];
const vouchesForItself = await authority.root('/CN=Self', proper);
const message = new TextEncoder().encode('waymark.example/eu/1\n3\nhash\n\n— a signature\n');
const request = await createRequest(message);
const response = await authority.reply(request.bytes, signer);
const { token, at } = await openResponse(response, request, { roots });
/** TSTInfo, without the name of the authority, so that others can sign it. */
const { content } = parseSignedData(
  (
    await openResponse(await authority.reply(request.bytes, signer, { settings: { tsa_name: 'no' } }), request, {
      roots,
    })
  ).token,
);

/** Returns our verdict and that of OpenSSL, at the time in the token. */
async function verdictsOf(given: Uint8Array, over = message, trusted = root) {
  const trust = { roots: parseRoots(await authority.read(trusted.certificate)) };
  const ours = await verifyToken(given, over, trust).then(
    () => 'accepted',
    (error: Error) => error.message,
  );
  const theirs = await authority.accepts({ token: given, message: over, root: trusted.certificate, at });
  return { ours, openssl: theirs ? 'accepted' : 'rejected' };
}

async function signedBy(wish: Parameters<typeof authority.issue>[1], issuer: Issued = root) {
  return authority.sign(content, await authority.issue(issuer, wish));
}

it('a token says when, by whom, and under which policy', async () => {
  expect(await verifyToken(token, message, { roots })).toEqual({
    at,
    authority: 'Test authority',
    policy: '1.3.6.1.4.1.55555.1',
    serial: '2',
    nonce: request.nonce,
  });
  expect(Math.abs(at.getTime() - Date.now())).toBeLessThan(600_000);
});

it.each<[string, readonly string[] | undefined, Readonly<Record<string, string>>]>([
  ['RSA and SHA-512', RSA, { signer_digest: 'sha512' }],
  ['P-384 and SHA-384', ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-384'], { signer_digest: 'sha384' }],
  ['P-521', ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-521'], {}],
  ['ESSCertID of RFC 3161', undefined, { ess_cert_id_alg: 'sha1' }],
  ['ESSCertIDv2 with SHA-512', undefined, { ess_cert_id_alg: 'sha512' }],
  ['no name of the authority, and whole seconds', undefined, { tsa_name: 'no', clock_precision_digits: '0' }],
])('a token is accepted, as OpenSSL accepts it: %s', async (_name, key, settings) => {
  const other = await authority.issue(root, { extensions: PROPER, ...(key && { key }) });
  const given = await authority.reply(request.bytes, other, { settings });
  expect(await authority.accepts({ response: given, request: request.bytes, root: root.certificate })).toBe(true);
  expect(await openResponse(given, request, { roots })).toMatchObject({ authority: 'Test authority' });
});

it('an authority between the signer and the root is found in the token', async () => {
  const between = await authority.issue(root, {
    subject: '/CN=Between',
    extensions: ['basicConstraints=critical,CA:true'],
  });
  const below = await authority.issue(between, {});
  const given = await authority.reply(request.bytes, below, { chain: between.certificate });
  const { token: chained } = await openResponse(given, request, { roots });
  expect(await verdictsOf(chained)).toEqual({ ours: 'accepted', openssl: 'accepted' });
  const alone = await authority.reply(request.bytes, below);
  await expect(openResponse(alone, request, { roots })).rejects.toThrow('no configured root certificate vouches');
  expect(await authority.accepts({ response: alone, request: request.bytes, root: root.certificate })).toBe(false);
});

it('a token that another program signed with RSA-PSS is accepted', async () => {
  const pss = await authority.issue(root, { key: RSA });
  const options = ['-cades', '-keyopt', 'rsa_padding_mode:pss', '-keyopt', 'rsa_pss_saltlen:32'];
  const given = await authority.sign(content, pss, options);
  expect(await verifyToken(given, message, { roots })).toMatchObject({ authority: 'Test authority' });
});

it.each<[string, string, () => Promise<Uint8Array>]>([
  ['the control: signed again', 'accepted', () => signedBy({ extensions: proper })],
  [
    'a purpose besides time stamps',
    'the certificate of the signer is not one for time stamps only',
    () => signedBy({ extensions: ['extendedKeyUsage=critical,timeStamping,serverAuth'] }),
  ],
  [
    'another purpose',
    'the certificate of the signer is not one for time stamps only',
    () => signedBy({ extensions: ['extendedKeyUsage=critical,serverAuth'] }),
  ],
  [
    'no purpose',
    'the certificate of the signer is not one for time stamps only',
    () => signedBy({ extensions: ['keyUsage=digitalSignature'] }),
  ],
  [
    'a purpose that is not critical',
    'the certificate of the signer names its purpose without marking it as critical',
    () => signedBy({ extensions: ['extendedKeyUsage=timeStamping'] }),
  ],
  [
    'a key for encryption as well',
    'the key of the signer may be used for something other than signatures',
    () =>
      signedBy({ extensions: ['keyUsage=digitalSignature,keyEncipherment', 'extendedKeyUsage=critical,timeStamping'] }),
  ],
  [
    'an expired certificate',
    "the certificate 'Test authority' expired at 2021-01-01T00:00:00.000Z",
    () => signedBy({ until: '20210101000000Z' }),
  ],
  [
    'a certificate of later',
    "the certificate 'Test authority' was not valid before 2048-01-01T00:00:00.000Z",
    () => signedBy({ from: '20480101000000Z' }),
  ],
  [
    'an unknown critical extension',
    "the certificate 'Test authority' has the critical extension 1.2.3.4, which is not supported",
    () => signedBy({ extensions: [...proper, '1.2.3.4=critical,ASN1:NULL'] }),
  ],
  [
    'a root that nobody trusts',
    'no configured root certificate vouches for the signer',
    async () => signedBy({}, await authority.root('/CN=Other root')),
  ],
  [
    'another root of the same name',
    "'Test root' did not sign the certificate 'Test authority'",
    async () => signedBy({}, await authority.root()),
  ],
  [
    'a signer that vouches for itself',
    "'Self' must not issue certificates",
    () => authority.sign(content, vouchesForItself),
  ],
  [
    'an issuer that is no authority',
    "'Test authority' must not issue certificates",
    async () => withCertificates(await authority.issue(signer, { subject: '/CN=Below' }), signer),
  ],
  [
    'an authority below one that must have none',
    "'Narrow' must not issue certificates of other authorities",
    async () => {
      const limited = ['basicConstraints=critical,CA:true,pathlen:0'];
      const narrow = await authority.issue(root, { subject: '/CN=Narrow', extensions: limited });
      const deeper = await authority.issue(narrow, { subject: '/CN=Deeper', extensions: limited });
      return withCertificates(await authority.issue(deeper, {}), narrow, deeper);
    },
  ],
  [
    'no certificate',
    'the token does not contain the certificate of its signer',
    () => authority.sign(content, signer, ['-cades', '-nocerts']),
  ],
  [
    'no name of the certificate',
    'the signature does not name the certificate of the signer',
    () => authority.sign(content, signer, []),
  ],
  [
    'no signed attributes',
    'the token does not have the form that its standard demands',
    () => authority.sign(content, signer, ['-noattr']),
  ],
  [
    'two signers',
    'the token has 2 signatures, not one',
    async () => {
      const other = await authority.issue(root, {});
      return authority.sign(content, signer, ['-cades', '-signer', other.certificate, '-inkey', other.key]);
    },
  ],
  [
    'content of another type',
    'the token does not contain a time stamp',
    () => authority.sign(content, signer, ['-cades', '-econtent_type', '1.2.840.113549.1.7.1']),
  ],
  [
    'a later time than what was signed',
    'the signature is over another time stamp',
    async () => replaced(token, bytesOf(at.toISOString().slice(0, 4)), bytesOf('2031')),
  ],
  [
    'another imprint than what was signed',
    'the time stamp is over something else',
    async () => replaced(token, parseImprint(), new Uint8Array(32)),
  ],
  ['its second half missing', 'the token is not DER', async () => token.slice(0, token.length / 2)],
])('a token is judged as OpenSSL judges it: %s', async (_name, expected, given) => {
  const openssl = expected === 'accepted' ? 'accepted' : 'rejected';
  expect(await verdictsOf(await given())).toEqual({ ours: expected, openssl });
});

it('a token over other bytes is rejected', async () => {
  expect(await verdictsOf(token, new TextEncoder().encode('other'))).toEqual({
    ours: 'the time stamp is over something else',
    openssl: 'rejected',
  });
});

it('a signature that names another certificate of the same key is rejected', async () => {
  // The certificates have the same issuer and serial number: only the digest tells them apart.
  const other = parseSignedData(await signedBy({ subject: '/CN=Twin' })).signer;
  const { raw } = parseSignedData(token).signer;
  expect(other.raw.length).not.toBe(raw.length);
  const twin = replaced(token, bytesOf('Test authority'), bytesOf('Best authority'));
  expect(await verdictsOf(twin)).toMatchObject({ openssl: 'rejected' });
  await expect(verifyToken(twin, message, { roots })).rejects.toThrow();
});

it('bytes behind a token are rejected, where OpenSSL does not look at them', async () => {
  const longer = Uint8Array.from([...token, 0, 0]);
  await expect(verifyToken(longer, message, { roots })).rejects.toThrow('the token has bytes behind its end');
});

it('a policy that is not accepted, and SHA-1 or a short key where OpenSSL takes them, are rejected', async () => {
  await expect(verifyToken(token, message, { roots, policies: ['1.2.3'] })).rejects.toThrow('which is not accepted');
  await expect(verifyToken(token, message, { roots: [] })).rejects.toThrow('no root certificate is configured');
  const weak = await authority.sign(content, signer, ['-cades', '-md', 'sha1']);
  await expect(verifyToken(weak, message, { roots })).rejects.toThrow('uses the digest 1.3.14.3.2.26');
  const short = await authority.issue(root, { key: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:1024'] });
  const given = await authority.sign(content, short);
  await expect(verifyToken(given, message, { roots })).rejects.toThrow(
    'the key of the signer of the token is too short',
  );
});

it('no changed byte is accepted that OpenSSL rejects', async () => {
  const step = isFull ? 1 : Math.ceil(token.length / 40);
  const accepted: number[] = [];
  for (let at = 0; at < token.length; at += step) {
    const changed = Uint8Array.from(token);
    changed[at] = (changed[at] ?? 0) ^ 0x01;
    const { ours, openssl } = await verdictsOf(changed);
    if (ours === 'accepted') accepted.push(at);
    if (ours === 'accepted') expect(openssl, `byte ${at}`).toBe('accepted');
  }
  // Versions and parameters of a digest are not signed, and mean nothing.
  expect(accepted.length).toBeLessThan(8);
}, 1_800_000);

function parseImprint(): Uint8Array {
  const found = /0420([0-9a-f]{64})/.exec(Buffer.from(parseSignedData(token).content).toString('hex'))?.[1] ?? '';
  return Buffer.from(found, 'hex');
}

/** Signs with more certificates in the token. */
async function withCertificates(by: Issued, ...others: readonly Issued[]): Promise<Uint8Array> {
  const more = await authority.join(...others.map(({ certificate }) => certificate));
  return authority.sign(content, by, ['-cades', '-certfile', more]);
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function replaced(bytes: Uint8Array, old: Uint8Array, by: Uint8Array): Uint8Array {
  const at = Buffer.from(bytes).indexOf(old);
  expect(at).toBeGreaterThan(0);
  const changed = Uint8Array.from(bytes);
  changed.set(by, at);
  return changed;
}
