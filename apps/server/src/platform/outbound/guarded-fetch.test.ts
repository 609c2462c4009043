import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import {
  type AddressInfo,
  connect as connectSocket,
  createServer as createTcpServer,
  type Server as Tcp,
} from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import * as jose from 'jose';
import * as openid from 'openid-client';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { selfSigned } from '../../../test/given/certificate.ts';
import { dialPinned } from './guarded-connect.ts';
import { createGuardedFetch, type GuardedFetchOptions } from './guarded-fetch.ts';
import { findOutboundError, type OutboundError } from './outbound-error.ts';

const running = new Set<Server | Tcp>();

afterEach(() => {
  for (const server of running) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  }
  running.clear();
});

async function listening(server: Server | Tcp, address = '127.0.0.1'): Promise<number> {
  running.add(server);
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return (server.address() as AddressInfo).port;
}

function serve(answer: RequestListener, address?: string): Promise<number> {
  return listening(createServer(answer), address);
}

function guarded(options: Partial<GuardedFetchOptions> = {}) {
  return createGuardedFetch({ allowedNetworks: ['127.0.0.0/8'], timeoutMs: 5000, ...options });
}

async function refusal(fetching: Promise<unknown>): Promise<Pick<OutboundError, 'code' | 'message'>> {
  const error = await fetching.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const found = findOutboundError(error);
  if (!found) throw new Error('Expected an outbound error', { cause: error });
  return { code: found.code, message: found.message };
}

it('sends what it is given and hands back the answer as fetch does', async () => {
  const seen: { request?: IncomingMessage; body?: string } = {};
  const port = await serve((request, response) => {
    seen.request = request;
    const headers = { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] };
    void text(request).then((body) => {
      seen.body = body;
      response.writeHead(201, headers).end('{"ok":true}');
    });
  });

  const response = await guarded()(new URL(`http://127.0.0.1:${port}/token?x=%20y#part`), {
    method: 'POST',
    headers: { 'X-Mine': 'yes', host: 'other.example.org', connection: 'keep-alive', 'accept-encoding': 'gzip' },
    body: new URLSearchParams({ grant: 'code' }),
  });

  expect(response).toBeInstanceOf(Response);
  expect([response.status, await response.json()]).toEqual([201, { ok: true }]);
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect([seen.request?.method, seen.request?.url, seen.body]).toEqual(['POST', '/token?x=%20y', 'grant=code']);
  expect(seen.request?.headers).toMatchObject({
    host: `127.0.0.1:${port}`,
    'x-mine': 'yes',
    'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
    'accept-encoding': 'identity',
    connection: 'close',
  });
});

it.each([204, 304])('hands back a %i without a body', async (status) => {
  const port = await serve((_request, response) => void response.writeHead(status).end());

  const response = await guarded()(`http://127.0.0.1:${port}/`);
  expect([response.status, response.body]).toEqual([status, null]);
});

it.each([
  [301, 'http://127.0.0.1:9/inside'],
  [302, '//169.254.169.254/latest/'],
  [303, 'file:///etc/passwd'],
  [307, '/again'],
  [308, 'https://127.0.0.1/'],
])('does not follow a %i to %s', async (status, location) => {
  let requests = 0;
  const port = await serve((_request, response) => {
    requests += 1;
    response.writeHead(status, { location }).end();
  });
  const url = `http://127.0.0.1:${port}/`;

  for (const redirect of ['manual', 'follow'] as const) {
    const response = await guarded()(url, { redirect });
    expect([response.status, response.headers.get('location')]).toEqual([status, location]);
  }
  expect((await refusal(guarded()(url, { redirect: 'error' }))).code).toBe('failed');
  expect(requests).toBe(3);
});

it('gives up when the headers take too long', async () => {
  const port = await serve(() => undefined);

  expect(await refusal(guarded({ timeoutMs: 100 })(`http://127.0.0.1:${port}/`))).toEqual({
    code: 'timeout',
    message: '127.0.0.1 did not respond within 0.1 s',
  });
});

it('gives up on a body that drips without end', async () => {
  let closed = false;
  const port = await serve((_request, response) => {
    const drip = setInterval(() => response.write('.'), 10);
    response.on('close', () => {
      closed = true;
      clearInterval(drip);
    });
  });

  expect((await refusal(guarded({ timeoutMs: 200 })(`http://127.0.0.1:${port}/`))).code).toBe('timeout');
  await expect.poll(() => closed).toBe(true);
});

it('gives up on a name that takes too long to resolve, and does not dial afterwards', async () => {
  let resolved = false;
  let dialled = false;
  const slow = guarded({
    timeoutMs: 100,
    resolve: async () => {
      await wait(300);
      resolved = true;
      return ['127.0.0.1'];
    },
    dial: () => {
      dialled = true;
    },
  });

  expect((await refusal(slow('https://slow.example.org/'))).code).toBe('timeout');
  expect(resolved).toBe(false);
  await expect.poll(() => resolved).toBe(true);
  await wait(10);
  expect(dialled).toBe(false);
});

it('gives up on a server that accepts and does not shake hands', async () => {
  const port = await listening(createTcpServer(() => undefined));

  expect((await refusal(guarded({ timeoutMs: 100 })(`https://127.0.0.1:${port}/`))).code).toBe('timeout');
});

it('stops when the caller does, with the reason of the caller', async () => {
  const port = await serve(() => undefined);
  const url = `http://127.0.0.1:${port}/`;

  await expect(guarded()(url, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ name: 'TimeoutError' });
  const stop = new AbortController();
  const fetching = guarded()(url, { signal: stop.signal });
  stop.abort(new Error('Enough'));
  await expect(fetching).rejects.toThrow('Enough');
  await expect(guarded()(url, { signal: AbortSignal.abort(new Error('Never began')) })).rejects.toThrow('Never began');
});

it('reads a body up to the limit and no further', async () => {
  const port = await serve((request, response) => {
    const size = Number(request.url?.slice(1));
    response.setHeader('content-length', size);
    response.end(Buffer.alloc(size));
  });
  const limited = guarded({ maxBytes: 1000 });

  const whole = await limited(`http://127.0.0.1:${port}/1000`);
  expect((await whole.arrayBuffer()).byteLength).toBe(1000);
  expect(await refusal(limited(`http://127.0.0.1:${port}/1001`))).toEqual({
    code: 'too_large',
    message: '127.0.0.1 sent more than 1000 bytes',
  });
  expect((await guarded()(`http://127.0.0.1:${port}/65536`)).status).toBe(200);
  expect((await refusal(guarded()(`http://127.0.0.1:${port}/65537`))).code).toBe('too_large');
});

it('stops reading a body without a length that does not end', async () => {
  let written = 0;
  let closed = false;
  const port = await serve((_request, response) => {
    const more = () => {
      while (!closed && response.write(Buffer.alloc(16_384))) written += 16_384;
    };
    response.on('drain', more).on('close', () => {
      closed = true;
    });
    more();
  });

  expect((await refusal(guarded()(`http://127.0.0.1:${port}/`))).code).toBe('too_large');
  await expect.poll(() => closed).toBe(true);
  expect(written).toBeLessThan(64 * 1024 * 1024);
});

it('refuses a flood of headers', async () => {
  const port = await listening(
    createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.write(`HTTP/1.1 200 OK\r\n${`x-flood: ${'y'.repeat(1000)}\r\n`.repeat(40)}\r\n`);
    }),
  );

  expect((await refusal(guarded()(`http://127.0.0.1:${port}/`))).code).toBe('too_large');
});

it('does not unpack a compressed body', async () => {
  const bomb = gzipSync(Buffer.alloc(10_000_000));
  const port = await serve((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.write(bomb);
  });

  expect((await refusal(guarded()(`http://127.0.0.1:${port}/`))).code).toBe('failed');
});

it('says the same of a closed port, a hung-up connection and an answer that is no HTTP', async () => {
  const closed = createTcpServer();
  const closedPort = await listening(closed);
  await new Promise((resolve) => closed.close(resolve));
  const hangsUp = await listening(createTcpServer((socket) => void socket.destroy()));
  const noHttp = await listening(
    createTcpServer((socket) => void socket.on('error', () => undefined).end('+PONG\r\n')),
  );

  for (const port of [closedPort, hangsUp, noHttp]) {
    expect(await refusal(guarded()(`http://127.0.0.1:${port}/`))).toEqual({
      code: 'failed',
      message: '127.0.0.1 cannot be reached or sent an unexpected response',
    });
  }
});

it('speaks http, on any port and to any name, in permitted networks only', async () => {
  const port = await serve((_request, response) => void response.end('inside'));
  const dialled: string[] = [];
  const toward = (addresses: readonly string[], allowedNetworks: readonly string[]) =>
    guarded({
      allowedNetworks,
      resolve: async () => addresses,
      dial: (target, checked, connected) => {
        dialled.push(...checked);
        dialPinned({ timeoutMs: 1000 })(target, checked, connected);
      },
    });

  expect(await (await toward(['127.0.0.1'], ['127.0.0.0/8'])(`http://issuer:${port}/`)).text()).toBe('inside');
  expect(dialled.splice(0)).toEqual(['127.0.0.1']);

  const http = { code: 'blocked', message: 'login.example.org must be called with https://' };
  const url = `http://login.example.org:${port}/`;
  expect(await refusal(toward(['127.0.0.1'], [])(url))).toEqual(http);
  expect(await refusal(toward(['127.0.0.1'], ['10.0.0.0/8'])(url))).toEqual(http);
  expect(await refusal(toward(['93.184.216.34'], ['127.0.0.0/8'])(url))).toEqual(http);
  expect(await refusal(toward(['127.0.0.1', '8.8.8.8'], ['127.0.0.0/8'])(url))).toEqual(http);
  expect(await refusal(toward(['8.8.8.8'], ['127.0.0.0/8'])('https://login.example.org:22/'))).toEqual({
    code: 'blocked',
    message: 'login.example.org must be called on port 443 or 8443',
  });
  expect(await refusal(toward(['8.8.8.8'], [])('https://issuer/'))).toEqual({
    code: 'blocked',
    message: 'issuer is not a public host name',
  });
  expect(await refusal(toward(['127.0.0.1', '10.0.0.1'], ['127.0.0.0/8'])('https://login.example.org/'))).toEqual({
    code: 'blocked',
    message: 'login.example.org resolves to an address that is not allowed',
  });
  expect(dialled).toEqual([]);
});

it('says the same of an internal name that leads nowhere and of one that leads to where nobody may go', async () => {
  const answers: Record<string, readonly string[]> = { 'a.internal': ['10.0.0.1'], 'b.internal': ['8.8.8.8'] };
  const inside = guarded({ resolve: async (host) => answers[host] ?? [], denied: ['127.0.0.9'] });

  for (const host of ['a.internal', 'b.internal', 'c.internal']) {
    expect(await refusal(inside(`https://${host}/`))).toEqual({
      code: 'unresolved',
      message: `The name ${host} does not resolve to an allowed address`,
    });
  }
});

it('connects to the address that was checked, and resolves once for each request', async () => {
  const port = await serve((request, response) => void response.end(request.headers.host), '127.0.0.2');
  const asked: string[] = [];
  // Nobody listens at the second answer, which a separate lookup would connect to.
  const answers = [['127.0.0.2'], ['127.0.0.1']];
  const resolve = async (host: string) => {
    asked.push(host);
    return answers.shift() ?? [];
  };

  const response = await guarded({ resolve })(`http://login.example.org:${port}/`);
  expect(await response.text()).toBe(`login.example.org:${port}`);
  expect(asked).toEqual(['login.example.org']);
});

it('tries the other checked addresses when the first does not answer', async () => {
  const port = await serve((_request, response) => void response.end('second'), '127.0.0.2');

  const response = await guarded({ resolve: async () => ['127.0.0.3', '127.0.0.2'] })(
    `http://two.example.org:${port}/`,
  );
  expect(await response.text()).toBe('second');
});

it('does not use a connection twice, so a name that turns to another address is checked again', async () => {
  let connections = 0;
  const server = createServer((_request, response) => void response.end());
  server.keepAliveTimeout = 60_000;
  server.on('connection', () => {
    connections += 1;
  });
  const port = await listening(server);
  const answers = [['127.0.0.1'], ['127.0.0.1'], ['10.0.0.1'], ['169.254.169.254']];
  const rebinding = guarded({ resolve: async () => answers.shift() ?? [] });
  const url = `http://rebind.example.org:${port}/`;

  expect((await rebinding(url)).status).toBe(200);
  expect((await rebinding(url)).status).toBe(200);
  expect(connections).toBe(2);
  expect((await refusal(rebinding(url))).code).toBe('blocked');
  expect((await refusal(rebinding(url))).code).toBe('blocked');
  expect((await refusal(rebinding(url))).code).toBe('unresolved');
  expect(connections).toBe(2);
});

it('hangs up before it asks when somebody else than the checked address is at the other end', async () => {
  let received = 0;
  const port = await listening(
    createTcpServer((socket) => {
      socket.on('data', (data) => {
        received += data.length;
      });
      socket.on('error', () => undefined);
    }),
  );
  let socketClosed = false;
  const elsewhere = guarded({
    resolve: async () => ['127.0.0.2'],
    dial: (_target, _addresses, connected) => {
      const socket = connectSocket(port, '127.0.0.1', () => connected(null, socket));
      socket.on('close', () => {
        socketClosed = true;
      });
    },
  });

  expect(await refusal(elsewhere(`http://login.example.org:${port}/`))).toEqual({
    code: 'blocked',
    message: 'login.example.org was reached at an address that was not checked',
  });
  await expect.poll(() => socketClosed).toBe(true);
  expect(received).toBe(0);
});

it('does not begin with TLS before it knows who is at the other end', async () => {
  let received = 0;
  const port = await listening(
    createTcpServer((socket) => {
      socket.on('data', (data) => {
        received += data.length;
      });
      socket.on('error', () => undefined);
    }),
  );
  // Connects to an address in place of a name, whatever was checked.
  const elsewhere = guarded({
    resolve: async () => ['127.0.0.2'],
    dial: (target, addresses, connected) =>
      dialPinned({ timeoutMs: 1000 })({ ...target, hostname: '127.0.0.1' }, addresses, connected),
  });

  expect((await refusal(elsewhere(`https://login.example.org:${port}/`))).code).toBe('blocked');
  expect(received).toBe(0);
});

it('verifies certificates against the name, also when the address is pinned', async () => {
  const { key, cert } = selfSigned('login.example.org');
  const names: unknown[] = [];
  const server = createHttpsServer({ key, cert }, (request, response) => {
    names.push('servername' in request.socket ? request.socket.servername : undefined);
    response.end('secret');
  });
  const port = await listening(server);
  const resolve = async () => ['127.0.0.1'];
  const trusting = guarded({ resolve, dial: dialPinned({ timeoutMs: 1000, ca: cert }) });

  expect(await (await trusting(`https://login.example.org:${port}/`)).text()).toBe('secret');
  expect(names).toEqual(['login.example.org']);
  expect(await refusal(trusting(`https://other.example.org:${port}/`))).toEqual({
    code: 'failed',
    message: 'The certificate of other.example.org is not valid or not trusted',
  });
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  onTestFinished(() => {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  });
  expect(await refusal(guarded({ resolve })(`https://login.example.org:${port}/`))).toEqual({
    code: 'failed',
    message: 'The certificate of login.example.org is not valid or not trusted',
  });
  expect(names).toHaveLength(1);
});

it('does not care for proxies of the environment', async () => {
  let proxied = 0;
  const count = (_request: IncomingMessage, response: ServerResponse) => {
    proxied += 1;
    response.end();
  };
  const proxy = `http://127.0.0.1:${await serve(count)}`;
  const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'all_proxy', 'NODE_USE_ENV_PROXY'];
  const before = names.map((name) => [name, process.env[name]] as const);
  onTestFinished(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : proxy;
  const port = await serve((_request, response) => void response.end('direct'));

  expect(await (await guarded()(`http://127.0.0.1:${port}/`)).text()).toBe('direct');
  expect(proxied).toBe(0);
});

it('says which name cannot be resolved', async () => {
  const resolve = () => Promise.reject(Object.assign(new Error('queryA 10.0.0.2'), { code: 'ENOTFOUND' }));

  expect(await refusal(guarded({ resolve })('https://gone.example.org/'))).toEqual({
    code: 'unresolved',
    message: 'The name gone.example.org cannot be resolved',
  });
});

it('does not mind a body that is too long where nobody reads it, but one that is cut off', async () => {
  const port = await serve((request, response) => {
    if (request.url === '/long') return void response.end('x'.repeat(1_000_000));
    response.writeHead(200, { 'content-length': 100 }).write('x');
    setTimeout(() => response.destroy(), 50);
  });
  const call = (path: string) => guarded({ maxBytes: 1000 })(`http://127.0.0.1:${port}${path}`, { ignoresBody: true });

  expect((await call('/long')).status).toBe(200);
  expect((await refusal(call('/cut'))).code).toBe('failed');
});

it('uses the resolver of the system by default', async () => {
  const port = await serve((_request, response) => void response.end('here'));

  const local = createGuardedFetch({ allowedNetworks: ['127.0.0.0/8', '::1/128'] });
  expect(await (await local(`http://localhost:${port}/`)).text()).toBe('here');
  expect((await refusal(createGuardedFetch({ allowedNetworks: [] })(`https://localhost:${port}/`))).code).toBe(
    'blocked',
  );
});

it('can be handed to the OpenID and JOSE clients, which tell what was refused', async () => {
  const { publicKey, privateKey } = await jose.generateKeyPair('ES256');
  const jwk = { ...(await jose.exportJWK(publicKey)), kid: 'one', alg: 'ES256' };
  const port = await serve((request, response) => {
    const issuer = `http://127.0.0.1:${port}`;
    const metadata = { issuer, jwks_uri: `${issuer}/jwks`, token_endpoint: `${issuer}/token` };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(request.url === '/jwks' ? { keys: [jwk] } : metadata));
  });
  const issuer = `http://127.0.0.1:${port}`;
  const discover = (fetching: ReturnType<typeof guarded>) =>
    openid.discovery(new URL(issuer), 'client', undefined, openid.None(), {
      [openid.customFetch]: fetching,
      execute: [openid.allowInsecureRequests],
    });

  const metadata = (await discover(guarded())).serverMetadata();
  const keys = jose.createRemoteJWKSet(new URL(metadata.jwks_uri ?? ''), { [jose.customFetch]: guarded() });
  const token = await new jose.SignJWT({}).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey);
  expect((await jose.jwtVerify(token, keys)).protectedHeader.kid).toBe('one');

  const strict = guarded({ allowedNetworks: [] });
  const refused = { code: 'blocked', message: '127.0.0.1 must be called with https://' };
  expect(await refusal(discover(strict))).toEqual(refused);
  const foreignKeys = jose.createRemoteJWKSet(new URL(`${issuer}/jwks`), { [jose.customFetch]: strict });
  expect(await refusal(jose.jwtVerify(token, foreignKeys))).toEqual(refused);
});
