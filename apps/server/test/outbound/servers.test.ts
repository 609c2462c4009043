import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as Tcp } from 'node:net';
import { createGzip } from 'node:zlib';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { selfSigned } from '../given/certificate.ts';
import type { Answer } from './dns-server.ts';
import { outcomeOf, startLab } from './lab.ts';

/** The address of somebody else's server: the only one that may be called here. Internal services have others. */
const outside = '127.0.0.5';
const host = 'hooks.example.org';
const lab = await startLab();
const running = new Set<Tcp>();

beforeEach(() => {
  lab.dns.reset();
  lab.dns.unknown = ['127.0.0.1'];
  resolvesTo([outside]);
});

afterEach(() => {
  for (const server of running) {
    if ('closeAllConnections' in server) (server as Server).closeAllConnections();
    server.close();
  }
  running.clear();
  expect(lab.inside.connections).toEqual([]);
});

function resolvesTo(...answers: readonly Answer[]): void {
  lab.dns.entries.set(host, { answers });
}

async function listening(server: Tcp): Promise<number> {
  running.add(server);
  server.listen(0, outside);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function talking(talk: (socket: Socket) => void): Promise<number> {
  return listening(
    createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => talk(socket));
    }),
  );
}

const serve = (answer: RequestListener) => listening(createServer(answer));

function guarded(options: Parameters<typeof lab.guarded>[0] = {}) {
  return lab.guarded({ allowedNetworks: [`${outside}/32`], timeoutMs: 5000, ...options });
}

function post(port: number, options: Parameters<typeof lab.guarded>[0] = {}, scheme = 'http', path = '/hook') {
  return outcomeOf(lab, () =>
    guarded(options)(`${scheme}://${host}:${port}${path}`, { method: 'POST', body: '{"a":1}' }),
  );
}

const failed = { code: 'failed', message: `${host} cannot be reached or sent an unexpected response` };
const certificate = { code: 'failed', message: `The certificate of ${host} is not valid or not trusted` };

const locations = [
  'http://127.0.0.1:PORT/',
  'http://localhost:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://2130706433:PORT/',
  'http://loopback.example.org:PORT/',
  '//169.254.169.254/latest/meta-data/',
  'https://metadata.google.internal/computeMetadata/v1/',
  'gopher://127.0.0.1:PORT/_INFO',
  'file:///etc/passwd',
];
const redirects = [301, 302, 303, 307, 308].flatMap((status) =>
  locations.map((location) => [status, location] as const),
);

it.each(redirects)('answers with a %i to %s, and does not go there', async (status, location) => {
  const target = location.replace('PORT', String(lab.inside.port));
  let requests = 0;
  const port = await serve((_request, response) => {
    requests += 1;
    response.writeHead(status, { location: target, refresh: `0; url=${target}` }).end();
  });

  const { response, dialled } = await post(port);
  expect([response?.status, response?.redirected, requests, dialled]).toEqual([status, false, 1, [outside]]);
});

it('asks for a name anew with each request, though the server keeps the connection open', async () => {
  let connections = 0;
  const server = createServer((_request, response) => {
    response.setHeader('connection', 'keep-alive');
    response.setHeader('keep-alive', 'timeout=600');
    response.end();
  });
  server.keepAliveTimeout = 600_000;
  server.on('connection', () => {
    connections += 1;
  });
  const port = await listening(server);
  resolvesTo([outside], [outside], ['127.0.0.1'], ['169.254.169.254'], [outside]);
  const reused = guarded();
  const call = () => outcomeOf(lab, () => reused(`http://${host}:${port}/`));

  expect((await call()).response?.status).toBe(200);
  expect((await call()).response?.status).toBe(200);
  expect((await call()).code).toBe('blocked');
  expect((await call()).code).toBe('blocked');
  expect((await call()).response?.status).toBe(200);
  expect(connections).toBe(3);
});

it('does not race a permitted address against a private one of the other family', async () => {
  const port = await serve((_request, response) => void response.end());

  for (const answer of [
    [outside, '::1'],
    ['::1', outside],
    [outside, 'fd00::1'],
    [outside, '127.0.0.1'],
  ]) {
    resolvesTo(answer);
    expect(await post(port)).toMatchObject({ code: 'blocked', dialled: [] });
  }
});

interface Seen {
  requests: number;
  names: string[];
  protocols: unknown[];
}

async function secure(options: { key: string; cert: string }): Promise<Seen & { port: number }> {
  const seen: Seen = { requests: 0, names: [], protocols: [] };
  const noteName = (name: string, done: (error: null) => void) => {
    seen.names.push(name);
    done(null);
  };
  const server = createHttpsServer(
    { ...options, ALPNProtocols: ['h2', 'http/1.1'], SNICallback: noteName },
    (_request, response) => {
      seen.requests += 1;
      response.end('ok');
    },
  );
  server.on('secureConnection', (socket) => seen.protocols.push(socket.alpnProtocol));
  server.on('tlsClientError', () => undefined);
  return Object.assign(seen, { port: await listening(server) });
}

it('speaks HTTP/1.1 to a server whose certificate is for the name', async () => {
  const made = selfSigned(host);
  const seen = await secure(made);

  const { response } = await post(seen.port, { ca: made.cert }, 'https');
  expect([response?.status, await response?.text()]).toEqual([200, 'ok']);
  expect(seen).toMatchObject({ requests: 1, names: [host], protocols: ['http/1.1'] });
});

const badCertificates = {
  'for another name': () => ({ made: selfSigned('hooks.example.net'), trusted: true }),
  'for a name below': () => ({ made: selfSigned(`www.${host}`), trusted: true }),
  'that has expired': () => ({ made: selfSigned(host, '210101000000Z'), trusted: true }),
  'that nobody trusts': () => ({ made: selfSigned(host), trusted: false }),
};

it.each(Object.entries(badCertificates))('sends nothing to a server with a certificate %s', async (_kind, make) => {
  const { made, trusted } = make();
  const seen = await secure(made);
  const options = trusted ? { ca: made.cert } : {};

  expect(await post(seen.port, options, 'https')).toMatchObject(certificate);
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  onTestFinished(() => {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  });
  expect(await post(seen.port, options, 'https')).toMatchObject(certificate);
  expect(seen.requests).toBe(0);
});

it('requires a certificate for the address when a URL has one, and sends no host name to it', async () => {
  const made = selfSigned(host);
  const seen = await secure(made);

  const outcome = await outcomeOf(lab, () => guarded({ ca: made.cert })(`https://${outside}:${seen.port}/`));
  expect(outcome.code).toBe('failed');
  expect(seen.requests).toBe(0);
  expect(seen.names).toEqual([]);
});

it('does not speak HTTP/2, nor TLS to what speaks plainly', async () => {
  const made = selfSigned(host);
  const modern = createSecureServer({ ...made, allowHTTP1: false }, (_request, response) => void response.end('two'));
  modern.on('tlsClientError', () => undefined);
  expect(await post(await listening(modern), { ca: made.cert }, 'https')).toMatchObject(failed);

  const plain = await serve((_request, response) => void response.end());
  expect(await post(plain, {}, 'https')).toMatchObject(failed);
});

it('has ten seconds in all by default, and closes the connection then', async () => {
  let closed = false;
  const port = await talking((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx: ');
    const drip = setInterval(() => socket.write('y'), 200);
    socket.on('close', () => {
      closed = true;
      clearInterval(drip);
    });
  });
  const begun = performance.now();

  const outcome = await outcomeOf(lab, () =>
    lab.guarded({ allowedNetworks: [`${outside}/32`] })(`http://${host}:${port}/`),
  );
  expect(outcome).toMatchObject({ code: 'timeout', message: `${host} did not respond within 10 s` });
  expect(performance.now() - begun).toBeGreaterThan(9900);
  await expect.poll(() => closed).toBe(true);
});

const drips: Record<string, string> = {
  'a status line': 'HTTP/1.1 200 O',
  headers: 'HTTP/1.1 200 OK\r\nx: ',
  'a body of a length': 'HTTP/1.1 200 OK\r\ncontent-length: 60000\r\n\r\n',
  'a body in chunks': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1000\r\n',
};

it.each(Object.entries(drips))('does not wait for %s that comes byte by byte', async (_kind, beginning) => {
  const port = await talking((socket) => {
    socket.write(beginning);
    const drip = setInterval(() => socket.write('k'), 20);
    socket.on('close', () => clearInterval(drip));
  });

  expect(await post(port, { timeoutMs: 400 })).toMatchObject({
    code: 'timeout',
    message: `${host} did not respond within 0.4 s`,
  });
});

it('does not wait for the end of early answers', async () => {
  const port = await talking((socket) => {
    const more = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'), 5);
    socket.on('close', () => clearInterval(more));
  });

  expect((await post(port, { timeoutMs: 400 })).code).toBe('timeout');
});

it('does not wait for a handshake that does not come', async () => {
  const closed: boolean[] = [];
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.resume().on('close', () => closed.push(true));
  });

  expect((await post(await listening(server), { timeoutMs: 300 }, 'https')).code).toBe('timeout');
  await expect.poll(() => closed).toEqual([true]);
});

it('does not unpack a compressed body, however large it would be', async () => {
  let sent = 0;
  let closed = false;
  const port = await serve((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    const gzip = createGzip();
    gzip.on('data', (chunk: Buffer) => {
      sent += chunk.length;
    });
    gzip.pipe(response);
    const more = () => {
      while (!closed && gzip.write(Buffer.alloc(1024 * 1024)));
    };
    gzip.on('drain', more);
    response.on('close', () => {
      closed = true;
      gzip.destroy();
    });
    more();
  });

  expect(await post(port)).toMatchObject(failed);
  await expect.poll(() => closed).toBe(true);
  expect(sent).toBeLessThan(1024 * 1024);
});

const tooLarge: Record<string, (socket: Socket) => void> = {
  'a body said to have ten gigabytes': (socket) =>
    void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10737418240\r\n\r\n'),
  'a body that does not end': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const more = () => {
      while (!socket.destroyed && socket.write(Buffer.alloc(16_384)));
    };
    socket.on('drain', more);
    more();
  },
  'one large header': (socket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}\r\n\r\n`),
  'many small headers': (socket) => void socket.write(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(50_000)}\r\n`),
  'headers that do not end': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const more = () => {
      while (!socket.destroyed && socket.write('a: b\r\n'.repeat(1000)));
    };
    socket.on('drain', more);
    more();
  },
};

it.each(Object.entries(tooLarge))('stops reading %s', async (_kind, talk) => {
  const port = await talking(talk);

  expect((await post(port)).code).toBe('too_large');
});

const strange: Record<string, string> = {
  'another protocol': '+PONG\r\n',
  'an answer of 0.9': '<html>',
  'a change of protocol': 'HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n',
  'two lengths': 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
  'an answer that breaks off': 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nab',
  'no answer': '',
};

it.each(Object.entries(strange))('reports no more of %s than that it failed', async (_kind, text) => {
  const port = await talking((socket) => void socket.end(text));

  expect(await post(port)).toMatchObject(failed);
});

it('hands on a wait of thirty years for others to judge', async () => {
  const port = await serve((_request, response) => void response.writeHead(429, { 'retry-after': '1e9' }).end());

  const { response } = await post(port);
  expect([response?.status, response?.headers.get('retry-after')]).toEqual([429, '1e9']);
});

it('lets no header and no path of the caller become a second request', async () => {
  const seen: IncomingMessage[] = [];
  const port = await serve((request, response) => {
    seen.push(request);
    response.end();
  });

  expect((await post(port, {}, 'http', '/%0d%0aHost:%20inside')).response?.status).toBe(200);
  await expect(guarded()(`http://${host}:${port}/`, { headers: { 'x-a': 'b\r\nhost: inside' } })).rejects.toThrow();
  expect(seen.map(({ url, headers }) => [url, headers.host])).toEqual([['/%0d%0aHost:%20inside', `${host}:${port}`]]);
});
