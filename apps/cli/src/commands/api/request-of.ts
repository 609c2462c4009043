import { usageError } from '../../run/cli-error.ts';
import type { Session } from '../../run/session.ts';

export interface ApiFlags {
  readonly field?: readonly string[] | undefined;
  readonly body?: string | undefined;
  readonly header?: readonly string[] | undefined;
}

export interface RawRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** With these a request would be sent as another user, or to another host. */
const OURS = ['authorization', 'host', 'content-length', 'cookie', 'transfer-encoding', 'connection'];

export function methodOf(text: string): string {
  const method = text.toUpperCase();
  if (METHODS.includes(method)) return method;
  throw usageError(`'${text}' is not an HTTP method`, `Use one of ${METHODS.join(', ')}`);
}

/** The key goes to the configured host only, so the address must be a path inside the API. */
export function urlOf(session: Session, path: string): URL {
  if (/^[a-z][a-z0-9+.-]*:|^\/\/|\\|[\p{Cc}\s]/iu.test(path)) {
    throw usageError(
      `'${path}' is not a path of the API`,
      'Use the part after /api/v2, such as /flows/{org}; set the host with --host',
    );
  }
  const base = `${session.need('host')}/api/v2`;
  const within = `/${path.replace(/^\/+/, '')}`.replace(/^\/api\/v2(?=\/|$)/, '');
  const url = new URL(`${base}${withValues(session, within)}`);
  if (url.href.split(/[?#]/)[0]?.startsWith(`${base}/`)) return url;
  throw usageError(`'${path}' is outside of the API`, 'Remove .. from the path');
}

function withValues(session: Session, path: string): string {
  return path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    if (name === 'org' || name === 'flow' || name === 'trail') return encodeURIComponent(session.need(name));
    throw usageError(`Unknown placeholder ${whole} in the path`, 'Use {org}, {flow}, or {trail}');
  });
}

export function headersOf(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e]+)$/.exec(text) ?? [];
      if (name === '') throw usageError('--header must be NAME: VALUE, in visible ASCII characters');
      if (OURS.includes(name.toLowerCase()))
        throw usageError(`The header ${name} cannot be set`, "Sign in with 'waymark auth login' or WAYMARK_TOKEN");
      return [name.toLowerCase(), value];
    }),
  );
}

/** Reads `a=text`, `a:=json`, and `a.b=text` for nested fields. */
export function fieldsOf(texts: readonly string[]): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const text of texts) {
    const [, path = '', isJson, value = ''] = /^([^=]+?)(:?)=(.*)$/s.exec(text) ?? [];
    if (path === '') throw usageError(`--field must be key=value or key:=json, not '${text}'`);
    put(body, path.split('.'), isJson ? jsonOf(path, value) : value);
  }
  return body;
}

function jsonOf(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usageError(`--field ${path}: the value after := is not JSON`, 'Use = for text');
  }
}

function put(target: Record<string, unknown>, [first = '', ...rest]: readonly string[], value: unknown): void {
  if (first === '' || first === '__proto__') throw usageError('--field has an invalid key');
  if (rest.length === 0) {
    target[first] = value;
    return;
  }
  target[first] ??= {};
  const next = target[first];
  if (typeof next !== 'object' || next === null || Array.isArray(next)) {
    throw usageError(`--field ${first} is given both as a single value and as an object or list`);
  }
  put(next as Record<string, unknown>, rest, value);
}
