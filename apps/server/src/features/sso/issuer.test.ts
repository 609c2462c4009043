import { expect, it } from 'vitest';
import { createIssuers, type IssuerClient } from './issuer.ts';

const ISSUER = 'https://id.example.com';
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/auth`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/keys`,
  id_token_signing_alg_values_supported: ['none', 'HS256', 'RS256', 'ES256'],
};
const CLIENT: IssuerClient = { settingId: '1', issuer: ISSUER, clientId: 'waymark', clientSecret: null };

/** An issuer that publishes this, and the requests it got. */
function publishing(published: object, keys: object = { keys: [] }) {
  const asked: string[] = [];
  const issuers = createIssuers((url) => {
    asked.push(new URL(url).pathname);
    return Promise.resolve(Response.json(String(url).endsWith('/keys') ? keys : published));
  });
  return { asked, issuers };
}

it('asks an issuer once for many visitors, and again after ten minutes or for another setting', async () => {
  const { asked, issuers } = publishing(METADATA);
  const at = new Date('2026-11-02T12:00:00Z');
  const minutes = (count: number) => new Date(at.getTime() + count * 60_000);
  const clients = await Promise.all(Array.from({ length: 50 }, () => issuers.clientFor(CLIENT, at)));
  expect(new Set(clients).size).toBe(1);
  await issuers.clientFor(CLIENT, minutes(9));
  expect(asked).toEqual(['/.well-known/openid-configuration', '/keys']);
  await issuers.clientFor(CLIENT, minutes(10));
  await issuers.clientFor({ ...CLIENT, settingId: '2' }, minutes(10));
  expect(asked).toHaveLength(6);
});

it('asks again at once when the issuer could not be read', async () => {
  const at = new Date();
  let isUp = false;
  const issuers = createIssuers((url) => {
    if (!isUp) return Promise.reject(new Error('down'));
    return Promise.resolve(Response.json(String(url).endsWith('/keys') ? { keys: [] } : METADATA));
  });
  await expect(issuers.clientFor(CLIENT, at)).rejects.toThrow('cannot be read');
  isUp = true;
  await expect(issuers.clientFor(CLIENT, at)).resolves.toBeDefined();
});

it('accepts signatures only that nobody but the issuer can make', async () => {
  const { issuers } = publishing(METADATA);
  const client = await issuers.clientFor(CLIENT, new Date());
  expect(client.serverMetadata().id_token_signing_alg_values_supported).toEqual(['RS256', 'ES256']);
});

it.each([
  [{ issuer: 'https://other.example.com' }, 'cannot be read: its published configuration is for another issuer'],
  [{ id_token_signing_alg_values_supported: ['none', 'HS256'] }, 'cannot be used: it signs with none of RS256'],
  [{ code_challenge_methods_supported: ['plain'] }, 'cannot be used: it does not support PKCE with S256'],
  [{ token_endpoint: undefined }, 'cannot be used: it publishes no token_endpoint that begins with https://'],
  [{ jwks_uri: 'http://id.example.com/keys' }, 'cannot be used: it publishes no jwks_uri that begins with https://'],
  [{ authorization_endpoint: 'javascript:alert(1)' }, 'cannot be used: it publishes no authorization_endpoint'],
])('does not take an issuer that publishes %j', async (wrong, reason) => {
  const { issuers } = publishing({ ...METADATA, ...wrong });
  await expect(issuers.read(ISSUER)).rejects.toThrow(reason);
});

it('does not take a template for the name of an issuer', async () => {
  const shared = 'https://login.microsoftonline.com/common/v2.0';
  const tenants = { ...METADATA, issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' };
  await expect(publishing(tenants).issuers.read(shared)).rejects.toThrow('cannot be read: it identifies itself');
});

it.each([[{ keys: Array(101).fill({ kty: 'RSA' }) }], [{ keys: 'none' }], [[]]])(
  'does not take what is no set of keys, or too large a one',
  async (keys) => {
    const { issuers } = publishing(METADATA, keys);
    await expect(issuers.clientFor(CLIENT, new Date())).rejects.toThrow(
      'keys cannot be read: the response is not a key set',
    );
  },
);
