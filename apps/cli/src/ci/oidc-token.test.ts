import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readCiContext } from '@waymark/ci-context';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliError } from '../run/cli-error.ts';
import type { Io } from '../run/io.ts';
import { oidcToken } from './oidc-token.ts';

const AUDIENCE = 'https://waymark.example.org/acme';
const noRun: Io['run'] = () => ({ status: 127, stdout: '', stderr: '' });

function tokenFor(audience: unknown): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part({ aud: audience, sub: 'repo:acme/web' })}.c2VjcmV0`;
}

let issuer: Server;
let url: string;
let requests: { method: string; url: string; authorization: string | undefined }[];
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  requests = [];
  issuer = createServer((request, response) => {
    requests.push({
      method: request.method ?? '',
      url: request.url ?? '',
      authorization: request.headers.authorization,
    });
    answer(request, response);
  });
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
});
afterEach(() => {
  issuer.closeAllConnections();
  return new Promise((resolve) => issuer.close(resolve));
});

function json(body: unknown, status = 200): typeof answer {
  return (_, response) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function ask(env: Io['env'], options: { run?: Io['run']; signal?: AbortSignal; note?: (text: string) => void } = {}) {
  const context = readCiContext(env, { readFile: () => undefined, git: () => undefined });
  return oidcToken(context, env, {
    audience: AUDIENCE,
    fetch,
    run: noRun,
    signal: new AbortController().signal,
    ...options,
  });
}

async function failure(asked: Promise<unknown>): Promise<CliError> {
  const error = await asked.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(error instanceof CliError)) throw new Error(`expected a CliError, got ${String(error)}`);
  expect(`${error.message} ${error.why} ${error.fix} ${JSON.stringify(error)} ${String(error.cause)}`).not.toMatch(
    /never-show|c2VjcmV0/,
  );
  return error;
}

const github = () => ({
  GITHUB_ACTIONS: 'true',
  ACTIONS_ID_TOKEN_REQUEST_URL: `${url}/idtoken?api-version=2.0`,
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'never-show',
});

describe('GitHub', () => {
  it('is asked for a token with the org as its audience', async () => {
    answer = json({ value: tokenFor(AUDIENCE), count: 1 });
    expect(await ask(github())).toEqual({ token: tokenFor(AUDIENCE), source: 'ACTIONS_ID_TOKEN_REQUEST_URL' });
    expect(requests).toEqual([
      {
        method: 'GET',
        url: `/idtoken?api-version=2.0&audience=${encodeURIComponent(AUDIENCE)}`,
        authorization: 'Bearer never-show',
      },
    ]);
  });

  it('is asked again after a transient error', async () => {
    answer = (request, response) =>
      requests.length < 3
        ? response.writeHead(503).end('never-show')
        : json({ value: tokenFor(AUDIENCE) })(request, response);
    expect((await ask(github()))?.token).toBe(tokenFor(AUDIENCE));
    expect(requests).toHaveLength(3);
  });

  it('may refuse, which is reported and not retried', async () => {
    answer = json({ message: 'never-show' }, 403);
    const error = await failure(ask(github()));
    expect(error).toMatchObject({ ending: 'denied', why: 'ACTIONS_ID_TOKEN_REQUEST_URL: responded with 403' });
    expect(requests).toHaveLength(1);
  });

  it('may be unavailable', async () => {
    answer = (request) => request.socket.destroy();
    expect(await failure(ask(github()))).toMatchObject({
      ending: 'unavailable',
      why: 'ACTIONS_ID_TOKEN_REQUEST_URL: could not be reached',
    });
  });

  it.each<[string, typeof answer]>([
    ['not JSON', (_, response) => response.end('<html>never-show</html>')],
    ['without a token', json({ value: '', other: 'never-show' })],
    ['endless', (_, response) => response.end(`{"value":"${'a'.repeat(100_000)}"}`)],
    ['a redirect', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/never-show' }).end()],
    ['with what is no token', json({ value: 'never-show a token' })],
  ])('may give an unusable answer: %s', async (_, unusable) => {
    answer = unusable;
    await failure(ask(github()));
  });

  it.each(['http://example.org/x', 'file:///etc/passwd', 'not an address'])('is not asked at %s', async (address) => {
    const error = await failure(ask({ ...github(), ACTIONS_ID_TOKEN_REQUEST_URL: address }));
    expect(error.message).toBe('ACTIONS_ID_TOKEN_REQUEST_URL is not an https URL, so no token is sent there');
    expect(requests).toEqual([]);
  });

  it('is not waited for when the user interrupts', async () => {
    const interrupt = new AbortController();
    answer = () => interrupt.abort(new Error('interrupted'));
    await expect(ask(github(), { signal: interrupt.signal })).rejects.toThrow('interrupted');
  });
});

describe('an existing token', () => {
  it('comes first when it is meant for us, and the server verifies it', async () => {
    const token = tokenFor('https://alias.example.org/acme');
    expect(await ask({ ...github(), WAYMARK_ID_TOKEN: `${token}\n` })).toEqual({ token, source: 'WAYMARK_ID_TOKEN' });
    expect(requests).toEqual([]);
  });

  it('is refused without being shown when it is malformed', async () => {
    expect((await failure(ask({ GITLAB_CI: 'true', WAYMARK_ID_TOKEN: 'never-show it' }))).message).toBe(
      'The value from WAYMARK_ID_TOKEN is not an identity token',
    );
  });

  it('is used for its audience only', async () => {
    const env = { BITBUCKET_BUILD_NUMBER: '1', BITBUCKET_STEP_OIDC_TOKEN: tokenFor([AUDIENCE, 'x']) };
    expect((await ask(env))?.source).toBe('BITBUCKET_STEP_OIDC_TOKEN');
    const notes: string[] = [];
    const other = { ...env, BITBUCKET_STEP_OIDC_TOKEN: tokenFor('ari:cloud:bitbucket::workspace/1') };
    expect(await ask(other, { note: (text) => notes.push(text) })).toBeUndefined();
    expect(notes).toEqual([
      `The token from BITBUCKET_STEP_OIDC_TOKEN is for another audience than ${AUDIENCE} and was not used`,
    ]);
  });
});

describe('programs of the CI system', () => {
  it('make a token at Buildkite', async () => {
    const calls: unknown[] = [];
    const run: Io['run'] = (...call) => {
      calls.push(call);
      return { status: 0, stdout: `${tokenFor(AUDIENCE)}\n`, stderr: '' };
    };
    expect((await ask({ BUILDKITE: 'true' }, { run }))?.token).toBe(tokenFor(AUDIENCE));
    expect(calls).toEqual([['buildkite-agent', ['oidc', 'request-token', '--audience', AUDIENCE]]]);
  });

  it('may fail or not be there', async () => {
    expect(await ask({ BUILDKITE: 'true' })).toBeUndefined();
    const run: Io['run'] = () => ({ status: 1, stdout: '', stderr: 'never-show' });
    expect((await failure(ask({ BUILDKITE: 'true' }, { run }))).message).toBe(
      'buildkite-agent oidc request-token exited with status 1',
    );
  });

  it('make one for us at CircleCI, whose own has another audience', async () => {
    const env = { CIRCLECI: 'true', CIRCLE_OIDC_TOKEN_V2: tokenFor('2a1c1b3e') };
    const calls: unknown[] = [];
    const run: Io['run'] = (...call) => {
      calls.push(call);
      return { status: 0, stdout: tokenFor(AUDIENCE), stderr: '' };
    };
    expect((await ask(env, { run }))?.source).toBe('circleci run oidc get');
    expect(calls).toEqual([['circleci', ['run', 'oidc', 'get', '--claims', JSON.stringify({ aud: AUDIENCE })]]]);
    expect(await ask(env)).toBeUndefined();
  });
});

describe('Azure', () => {
  it('is asked by POST for the service connection', async () => {
    answer = json({ oidcToken: tokenFor(AUDIENCE) });
    const env = {
      TF_BUILD: 'True',
      SYSTEM_OIDCREQUESTURI: `${url}/acme/_apis/oidctoken`,
      SYSTEM_ACCESSTOKEN: 'never-show',
      WAYMARK_AZURE_SERVICE_CONNECTION_ID: 'c-1',
    };
    expect((await ask(env))?.source).toBe('SYSTEM_OIDCREQUESTURI');
    expect(requests).toEqual([
      {
        method: 'POST',
        url: '/acme/_apis/oidctoken?api-version=7.1&serviceConnectionId=c-1',
        authorization: 'Bearer never-show',
      },
    ]);
    answer = json({ oidcToken: tokenFor('api://AzureADTokenExchange') });
    expect(await ask(env)).toBeUndefined();
  });
});

it('gives nothing without an offer', async () => {
  expect(await ask({})).toBeUndefined();
  expect(await ask({ GITHUB_ACTIONS: 'true' })).toBeUndefined();
});
