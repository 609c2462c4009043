import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json, text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { exportJWK, type GenerateKeyPairResult, generateKeyPair } from 'jose';
import Provider, { type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import { forgeIdToken } from './forge.ts';
import type { ProviderOptions, ProviderState } from './start-provider.ts';

/**
 * An identity provider for tests, as a separate process. A page asks who signs in, or `login_hint` says so for tests
 * without a browser. POST /control sets its claims about people, and its lies.
 */
const options = JSON.parse(process.argv[2] ?? '{}') as ProviderOptions;
const state: ProviderState = { accounts: {}, forge: null, issuerParameter: null, pauseMs: 0 };

const server = createServer();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
let current = await openProvider();
server.on('request', (request, response) => {
  void answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
});
process.stdout.write(`${issuer}\n`);
process.stdin.on('end', () => process.exit(0)).resume();

/** With a new key; earlier ones are no longer published. */
async function openProvider() {
  const keys = { ...(await generateKeyPair('RS256', { extractable: true })), keyId: randomUUID() };
  const provider = new Provider(issuer, await configuration(keys));
  Object.assign(provider.Client.prototype, { redirectUriAllowed: isRegistered });
  provider.use(async (context, next) => {
    await next();
    const ctx = context as unknown as KoaContextWithOIDC;
    const route: string | undefined = ctx.oidc?.route;
    if (route === 'token') {
      await wait(state.pauseMs);
      await forge(ctx, keys);
    }
    if (route === 'resume' || route === 'authorization') mixUp(ctx);
  });
  return { provider, serve: provider.callback() };
}

function isRegistered(uri: string): boolean {
  return options.redirectUris.some((registered) => {
    const [start = '', end] = registered.split('*');
    return end === undefined ? uri === registered : uri.startsWith(start) && uri.endsWith(end);
  });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/control') {
    Object.assign(state, await json(request));
    response.writeHead(204).end();
  } else if (request.url === '/roll-over') {
    current = await openProvider();
    response.writeHead(204).end();
  } else if (request.url?.startsWith('/interaction/')) {
    await askWho(request, response);
  } else {
    await current.serve(request, response);
  }
}

async function askWho(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { provider } = current;
  const { params } = await provider.interactionDetails(request, response);
  const login =
    request.method === 'POST' ? new URLSearchParams(await text(request)).get('login') : (params['login_hint'] ?? null);
  if (login === 'nobody') {
    await provider.interactionFinished(request, response, { error: 'access_denied' });
  } else if (login) {
    await provider.interactionFinished(request, response, { login: { accountId: String(login) } });
  } else {
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><form method="post"><input name="login" autofocus><button>Continue</button></form>');
  }
}

function claimsOf(login: string) {
  return { sub: login, email: `${login}@corp.test`, email_verified: true, name: login, ...state.accounts[login] };
}

type Keys = GenerateKeyPairResult & { readonly keyId: string };

async function configuration({ privateKey, keyId }: Keys): Promise<Configuration> {
  return {
    clients: [
      {
        client_id: 'waymark',
        redirect_uris: [...options.redirectUris],
        ...(options.clientSecret === undefined
          ? { token_endpoint_auth_method: 'none' as const }
          : { client_secret: options.clientSecret }),
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: keyId, alg: 'RS256', use: 'sig' }] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: options.claimsFromUserInfo === true,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    cookies: { keys: ['for tests'] },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    findAccount: (_ctx, login) => ({ accountId: login, claims: () => claimsOf(login) }),
    async loadExistingGrant(ctx) {
      const clientId = ctx.oidc.client?.clientId;
      const accountId = ctx.oidc.session?.accountId;
      const grant = new ctx.oidc.provider.Grant({ ...(clientId && { clientId }), ...(accountId && { accountId }) });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  };
}

async function forge(ctx: KoaContextWithOIDC, keys: Keys): Promise<void> {
  const body = ctx.body as { id_token?: string };
  if (!state.forge || body.id_token === undefined) return;
  ctx.body = { ...body, id_token: await forgeIdToken(body.id_token, state.forge, keys) };
}

/** Names another issuer in the response to the client, as in a mix-up attack. */
function mixUp(ctx: KoaContextWithOIDC): void {
  const location = ctx.response.get('location');
  if (state.issuerParameter === null || !location.includes('iss=')) return;
  const url = new URL(location);
  if (state.issuerParameter === '') url.searchParams.delete('iss');
  else url.searchParams.set('iss', state.issuerParameter);
  ctx.set('location', url.href);
}
