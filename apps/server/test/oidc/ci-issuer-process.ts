import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { JWK } from 'jose';
import { mintToken, readSigningKey } from './ci-token.ts';

export interface IssuerAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The body of POST /control. */
export interface IssuerState {
  readonly keys: readonly object[];
  readonly signing: { readonly kid: string; readonly alg: string; readonly privateJwk: JWK } | null;
  readonly audience: string;
  readonly answer: IssuerAnswer | 'no-answer' | null;
}

/** An issuer of tokens for CI jobs, as a separate process. Tests know its keys, and sign with them as they like. */
let state: IssuerState = { keys: [], signing: null, audience: '', answer: null };
let asked = 0;

const server = createServer((request, response) => {
  void answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
process.stdout.write(`${url}\n`);
process.stdin.on('end', () => process.exit(0)).resume();

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path, query] = request.url?.split('?') ?? [];
  switch (path) {
    case '/.well-known/openid-configuration':
      return send(response, { issuer: url, jwks_uri: `${url}/keys` });
    case '/keys':
      asked++;
      return sendKeys(response);
    case '/request':
      return sendToken(request, response, new URLSearchParams(query).get('audience'));
    case '/asked':
      return send(response, { asked });
    case '/control':
      state = (await json(request)) as IssuerState;
      return send(response, {});
    default:
      response.writeHead(404).end();
  }
}

function sendKeys(response: ServerResponse): void {
  if (state.answer === 'no-answer') return;
  if (state.answer === null) send(response, { keys: state.keys });
  else response.writeHead(state.answer.status, state.answer.headers).end(state.answer.body);
}

/** As a GitHub Actions job requests its token. */
async function sendToken(request: IncomingMessage, response: ServerResponse, audience: string | null): Promise<void> {
  const { signing } = state;
  if (request.headers.authorization !== 'Bearer of-this-job' || !signing) {
    response.writeHead(401).end();
    return;
  }
  const key = await readSigningKey(signing.kid, signing.alg, signing.privateJwk);
  const token = { iss: url, aud: audience ?? state.audience, at: new Date() };
  send(response, { value: await mintToken(token, key, {}) });
}

function send(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
