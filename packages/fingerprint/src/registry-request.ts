import { RegistryError } from './registry-error.ts';

export interface RequestSettings {
  readonly fetch?: typeof fetch | undefined;
  /** True allows it everywhere, false nowhere; by default only for registries on this machine. */
  readonly plainHttp?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How long one answer may take, its body included; 30 seconds unless given. */
  readonly timeoutMs?: number | undefined;
}

export interface RegistryRequest {
  readonly method?: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams;
  readonly maxBytes: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly asked: string;
}

const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * Returns the whole response, whatever its status, after redirects. Fails without a response, or beyond the size limit.
 */
export async function request(settings: RequestSettings, { url, ...rest }: RegistryRequest): Promise<Answer> {
  const asked = `${rest.method ?? 'GET'} ${placeOf(url)}`;
  const unusable = (message: string, status: number | null, hint: string) =>
    new RegistryError(message, { failure: 'unusable', status, asked, hint });
  if (url.protocol === 'http:' && !mayBePlain(url, settings.plainHttp)) {
    throw unusable(`${url.host} is not asked without encryption`, null, 'allow plain http for it, if that is meant');
  }

  let place = url;
  let headers = rest.headers;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const answer = await send(settings, { ...rest, url: place, headers }, asked);
    if (answer.bytes === undefined) {
      const hint = 'check that the address is that of a container registry';
      throw unusable(`The answer of ${place.host} is longer than ${rest.maxBytes} bytes`, answer.status, hint);
    }
    if (!REDIRECTS.includes(answer.status)) return { ...answer, bytes: answer.bytes, asked };
    const next = target(answer.headers.get('location'), place);
    // A body contains an identity token, which must not go elsewhere.
    const isLeak = rest.body !== undefined && next?.origin !== place.origin;
    if (next === undefined || isLeak || !mayFollow(place, next, settings.plainHttp)) {
      const hint = 'a redirect must lead to an address with https, and with an identity token to the same host';
      throw unusable(`${place.host} redirects to where it is not followed`, answer.status, hint);
    }
    if (next.origin !== place.origin) headers = withoutAuthorization(headers);
    place = next;
  }
  throw unusable(`${url.host} redirects more than ${MAX_REDIRECTS} times`, null, 'check the address of the registry');
}

/** Where a redirect may lead, with or without credentials: never from https to http. */
export function mayFollow(from: URL, to: URL, plainHttp: boolean | undefined): boolean {
  if (to.username !== '' || to.password !== '') return false;
  if (to.protocol === 'https:') return true;
  return to.protocol === 'http:' && from.protocol === 'http:' && mayBePlain(to, plainHttp);
}

/** Queries may contain signatures, and addresses end up in logs. */
export function placeOf(url: URL): string {
  return url.origin + url.pathname;
}

function mayBePlain(url: URL, plainHttp: boolean | undefined): boolean {
  return plainHttp ?? isOnThisMachine(url.hostname);
}

export function isOnThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.[0-9]{1,3}){3}$/.test(hostname);
}

type Received = Omit<Answer, 'bytes' | 'asked'> & { readonly bytes: Uint8Array | undefined };

async function send(settings: RequestSettings, request: RegistryRequest, asked: string): Promise<Received> {
  const timeout = AbortSignal.timeout(settings.timeoutMs ?? TIMEOUT_MS);
  const signal = settings.signal ? AbortSignal.any([settings.signal, timeout]) : timeout;
  try {
    const response = await (settings.fetch ?? fetch)(request.url, {
      method: request.method ?? 'GET',
      headers: request.headers,
      redirect: 'manual',
      signal,
      ...(request.body && { body: request.body }),
    });
    return { status: response.status, headers: response.headers, bytes: await bytesOf(response, request.maxBytes) };
  } catch (error) {
    settings.signal?.throwIfAborted();
    throw unreachable(request.url, asked, timeout.aborted ? 'it took too long to answer' : reasonOf(error), error);
  }
}

async function bytesOf(response: Response, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function unreachable(url: URL, asked: string, reason: string, cause: unknown): RegistryError {
  return new RegistryError(`The registry at ${url.host} cannot be reached: ${reason}`, {
    failure: 'not-reachable',
    status: null,
    asked,
    hint: hintFor(reason),
    cause,
  });
}

/** fetch itself only says "fetch failed"; the reason is in its cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code, message } = cause as { code?: unknown; message?: unknown };
  return typeof code === 'string' ? code : String(message ?? cause);
}

function hintFor(reason: string): string {
  if (/CERT|ISSUER|ALTNAME/.test(reason)) {
    return 'its certificate is not trusted here; NODE_EXTRA_CA_CERTS names a file with those of your own authority';
  }
  if (/SSL|EPROTO/.test(reason)) return 'it seems to speak plain http; allow that for it, if that is meant';
  return 'check the name of the registry, the network, and the proxy';
}

function target(location: string | null, from: URL): URL | undefined {
  return location === null ? undefined : (URL.parse(location, from) ?? undefined);
}

function withoutAuthorization(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'authorization'));
}
