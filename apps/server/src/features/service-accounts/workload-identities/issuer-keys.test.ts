import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CiIssuer, startCiIssuer } from '../../../../test/oidc/ci-issuer.ts';
import { newSigningKey } from '../../../../test/oidc/ci-token.ts';
import { createGuardedFetch } from '../../../platform/outbound/guarded-fetch.ts';
import { createIssuerKeys, type FindIssuerKeys } from './issuer-keys.ts';
import { verifiedPayload } from './job-token.ts';

const clock = { now: new Date() };
const pass = (seconds: number) => {
  clock.now = new Date(clock.now.getTime() + seconds * 1000);
};
const outbound = createGuardedFetch({ allowedNetworks: ['127.0.0.0/8'] });
const UNAVAILABLE = { code: 'unavailable', message: 'The keys of the token issuer cannot be read. Try again later' };

let issuer: CiIssuer;
let findKeys: FindIssuerKeys;
beforeEach(async () => {
  issuer = await startCiIssuer({ now: () => clock.now, audience: 'a', alg: 'ES256' });
  findKeys = createIssuerKeys(outbound, () => clock.now);
});
afterEach(() => issuer.close());

async function accepts(token: string): Promise<boolean> {
  const { kid } = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string };
  return (await verifiedPayload(token, issuer.url, await findKeys(issuer.url, kid))) !== undefined;
}

describe('the keys of an issuer', () => {
  it('are asked for once, also by many at the same time', async () => {
    const token = await issuer.mint();
    expect(await Promise.all(Array.from({ length: 20 }, () => accepts(token)))).not.toContain(false);
    expect(await issuer.asked()).toBe(1);
  });

  it('are asked for again when a token has a new one, but not at any time', async () => {
    const old = await issuer.mint();
    expect(await accepts(old)).toBe(true);
    await issuer.rollOver();
    const fresh = await issuer.mint();
    expect(await accepts(fresh)).toBe(false);
    pass(30);
    expect(await accepts(fresh)).toBe(true);
    expect(await accepts(old)).toBe(true);
    expect(await issuer.asked()).toBe(2);

    const forged = await issuer.mint({ key: await newSigningKey('ES256') });
    for (let i = 0; i < 20; i++) expect(await accepts(forged)).toBe(false);
    pass(31);
    for (let i = 0; i < 20; i++) expect(await accepts(forged)).toBe(false);
    expect(await issuer.asked()).toBe(3);
  });

  it('are no longer good ten minutes after the issuer withdrew them', async () => {
    const old = await issuer.mint();
    expect(await accepts(old)).toBe(true);
    await issuer.rollOver({ withdrawOld: true });
    pass(599);
    expect(await accepts(old)).toBe(true);
    pass(1);
    expect(await accepts(old)).toBe(false);
  });

  it('are believed for six hours while the issuer is away, and then no longer', async () => {
    const token = await issuer.mint();
    expect(await accepts(token)).toBe(true);
    await issuer.answerWith({ status: 500 });
    pass(6 * 3600 - 1);
    expect(await accepts(token)).toBe(true);
    pass(31);
    await expect(accepts(token)).rejects.toMatchObject(UNAVAILABLE);
    const asked = await issuer.asked();
    await expect(accepts(token)).rejects.toMatchObject(UNAVAILABLE);
    expect(await issuer.asked()).toBe(asked);
    await issuer.answerWith(undefined);
    pass(31);
    expect(await accepts(token)).toBe(true);
  });

  it.each([
    ['a redirect', (to: string) => ({ status: 302, headers: { location: to }, body: '' })],
    ['something else', () => ({ status: 200, headers: {}, body: '{"keys":7}' })],
    ['no JSON', () => ({ status: 200, headers: {}, body: '<html>' })],
    [
      '10,000 keys',
      () => ({
        status: 200,
        headers: {},
        body: JSON.stringify({ keys: Array.from({ length: 10_000 }, () => ({ kty: 'RSA' })) }),
      }),
    ],
    [
      'more keys than anybody has',
      () => ({
        status: 200,
        headers: {},
        body: JSON.stringify({ keys: Array.from({ length: 101 }, () => ({ kty: 'RSA' })) }),
      }),
    ],
  ])('are not had from %s', async (_, make) => {
    const other = await startCiIssuer({ now: () => clock.now, audience: 'a', alg: 'ES256' });
    const { status, headers, body } = make(`${other.url}/keys`);
    await issuer.answerWith({ status, headers, body });
    await expect(accepts(await issuer.mint())).rejects.toMatchObject(UNAVAILABLE);
    expect(await other.asked()).toBe(0);
    await other.close();
  });

  it('are not waited for longer than a moment', async () => {
    await issuer.answerWith('no-answer');
    findKeys = createIssuerKeys(outbound, () => clock.now, { timeoutMs: 300 });
    const token = await issuer.mint();
    await expect(accepts(token)).rejects.toMatchObject({ ...UNAVAILABLE, cause: { name: 'TimeoutError' } });
  });

  it('are not had from somebody who says that it is another issuer', async () => {
    await expect(findKeys(`${issuer.url}/`, 'any')).rejects.toMatchObject(UNAVAILABLE);
    expect(await issuer.asked()).toBe(0);
  });

  it('with a shared secret among them do not make it one of the keys', async () => {
    await issuer.publish([{ kty: 'oct', kid: 'shared', k: Buffer.from('secret'.repeat(8)).toString('base64url') }]);
    expect(await accepts(await issuer.mint())).toBe(true);
  });
});
