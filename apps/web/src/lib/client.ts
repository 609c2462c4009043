import { createClient } from '@waymark/client';
import { withBase } from './base-path.ts';

let csrfToken: string | null = null;

/** Comes with the session; sent with every change. */
export function keepCsrfToken(token: string | null): void {
  csrfToken = token;
}

/** The session is in a cookie that scripts cannot read; the browser sends it by itself. */
function fetchInSession(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const method = init.method ?? 'GET';
  const headers = new Headers(init.headers);
  if (method !== 'GET' && csrfToken !== null) headers.set('x-csrf-token', csrfToken);
  return fetch(input, { ...init, headers, credentials: 'same-origin' });
}

export const client = createClient({ baseUrl: withBase('/api/v2'), fetch: fetchInSession, retries: 2 });
