import { createClient } from '@waymark/client';
import { withBase } from './base-path.ts';

let csrfToken: string | undefined;
const { promise: hasToken, resolve: tokenCame } = Promise.withResolvers<void>();

/** Comes with the session; sent with every change. */
export function keepCsrfToken(token: string): void {
  csrfToken = token;
  tokenCame();
}

/** The session is in a cookie that scripts cannot read; the browser sends it by itself. */
async function fetchInSession(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const method = init.method ?? 'GET';
  const headers = new Headers(init.headers);
  if (method !== 'GET') {
    // A page may be shown before the session has come.
    await hasToken;
    if (csrfToken !== undefined) headers.set('x-csrf-token', csrfToken);
  }
  return fetch(input, { ...init, headers, credentials: 'same-origin' });
}

export const client = createClient({ baseUrl: withBase('/api/v2'), fetch: fetchInSession, retries: 2 });
