import { type Challenge, parseChallenges } from './challenge.ts';
import type { Credentials } from './docker-credentials.ts';
import { RegistryError } from './registry-error.ts';
import { type Answer, mayFollow, type RequestSettings, request } from './registry-request.ts';

export interface Challenged {
  readonly url: URL;
  readonly answer: Answer;
  readonly repository: string;
  readonly credentials: Credentials | undefined;
}

const TOKEN_ANSWER_MAX_BYTES = 256 * 1024;

/** The user name of an identity token in Docker's credential helpers. */
const IDENTITY_TOKEN_USER = '<token>';

export const LOG_IN_HINT = 'log in to the registry, as with "docker login", or check that the image exists';

/** The header that answers the challenge. */
export async function authorize(settings: RequestSettings, challenged: Challenged): Promise<string> {
  const { answer, url, credentials } = challenged;
  const challenges = parseChallenges(answer.headers.get('www-authenticate') ?? '');
  const bearer = challenges.find(({ scheme }) => scheme === 'bearer');
  if (bearer) return `Bearer ${await fetchToken(settings, challenged, bearer)}`;
  if (challenges.some(({ scheme }) => scheme === 'basic')) {
    if (credentials) return basic(credentials);
    throw refused(
      `The registry ${url.host} requires a user name and a password, and none are configured for it`,
      answer,
    );
  }
  throw new RegistryError(`The registry ${url.host} requires a credential, but names no supported way to send one`, {
    failure: 'needs-credentials',
    status: answer.status,
    asked: answer.asked,
    hint: 'Basic and Bearer are understood',
  });
}

async function fetchToken(settings: RequestSettings, challenged: Challenged, bearer: Challenge): Promise<string> {
  const realm = realmOf(settings, challenged, bearer);
  const answer = await request(settings, tokenRequest(realm, challenged, bearer));
  if (answer.status === 401 || answer.status === 403) {
    const what = challenged.credentials ? 'does not accept the credentials' : 'lets nobody in without credentials';
    throw refused(`${realm.host}, which issues tokens for ${challenged.url.host}, ${what}`, answer);
  }
  const token = answer.status === 200 ? tokenIn(answer.bytes) : undefined;
  if (token !== undefined) return token;
  throw new RegistryError(`${realm.host} issued no token for ${challenged.url.host}: it answered ${answer.status}`, {
    failure: answer.status === 429 || answer.status >= 500 ? 'unavailable' : 'unusable',
    status: answer.status,
    asked: answer.asked,
    hint: 'try again later, or ask who runs the registry',
  });
}

/** Credentials go there, so it must be as secure as the registry. */
function realmOf(settings: RequestSettings, { url, answer }: Challenged, { parameters }: Challenge): URL {
  const realm = URL.parse(parameters.get('realm') ?? '');
  if (realm && mayFollow(url, realm, settings.plainHttp)) return realm;
  throw new RegistryError(`The registry ${url.host} sends for a token to an address that is not asked`, {
    failure: 'unusable',
    status: answer.status,
    asked: answer.asked,
    hint: 'the realm of its challenge must be an address with https',
  });
}

function tokenRequest(realm: URL, { repository, credentials }: Challenged, { parameters }: Challenge) {
  const service = parameters.get('service');
  const scopes = (parameters.get('scope') ?? `repository:${repository}:pull`)
    .split(' ')
    .filter((scope) => scope !== '');
  if (credentials?.username === IDENTITY_TOKEN_USER) {
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: 'waymark',
      refresh_token: credentials.password,
      scope: scopes.join(' '),
      ...(service !== undefined && { service }),
    });
    return { method: 'POST' as const, url: realm, headers: {}, body, maxBytes: TOKEN_ANSWER_MAX_BYTES };
  }
  const url = new URL(realm);
  if (service !== undefined) url.searchParams.append('service', service);
  for (const scope of scopes) url.searchParams.append('scope', scope);
  const headers = credentials ? { authorization: basic(credentials) } : {};
  return { url, headers, maxBytes: TOKEN_ANSWER_MAX_BYTES };
}

/** An invalid header value would be quoted in full by the error. */
function tokenIn(bytes: Uint8Array): string | undefined {
  try {
    const answer = JSON.parse(new TextDecoder().decode(bytes)) as { token?: unknown; access_token?: unknown } | null;
    const token = answer?.token ?? answer?.access_token;
    return typeof token === 'string' && /^[\x21-\x7e]+$/.test(token) ? token : undefined;
  } catch {
    return undefined;
  }
}

function basic({ username, password }: Credentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function refused(message: string, { status, asked }: Answer): RegistryError {
  return new RegistryError(message, { failure: 'needs-credentials', status, asked, hint: LOG_IN_HINT });
}
