import type { TestApi } from './harness.ts';

export interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly html: string;
  /** Where it leads to. */
  readonly location: string | undefined;
}

/** A browser that keeps cookies but shows nothing: pages are fetched, not rendered. */
export interface Visitor {
  readonly cookies: Map<string, string>;
  get(url: string, headers?: Record<string, string>): Promise<Seen>;
  /** Sends a form, with the CSRF field of the last page unless another is given. */
  post(url: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<Seen>;
  /** The CSRF field of the last page. */
  csrf(): string;
}

export function newVisitor(api: TestApi, userAgent = 'tests'): Visitor {
  const cookies = new Map<string, string>();
  let csrf = '';
  const send = async (method: 'GET' | 'POST', url: string, headers: Record<string, string>, payload?: string) => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const answer = await api.inject({
      method,
      url,
      headers: { 'user-agent': userAgent, ...(cookie && { cookie }), ...headers },
      ...(payload !== undefined && { payload }),
    });
    for (const set of [answer.headers['set-cookie'] ?? []].flat()) keep(cookies, String(set));
    const html = String(answer.body);
    csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? csrf;
    const location = answer.headers['location'];
    return {
      status: answer.status,
      headers: answer.headers,
      html,
      location: location === undefined ? undefined : String(location),
    };
  };
  return {
    cookies,
    csrf: () => csrf,
    get: (url, headers = {}) => send('GET', url, headers),
    post: (url, fields = {}, headers = {}) =>
      send(
        'POST',
        url,
        { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        new URLSearchParams({ csrf, ...fields }).toString(),
      ),
  };
}

function keep(cookies: Map<string, string>, header: string): void {
  const [pair = '', ...attributes] = header.split('; ');
  const at = pair.indexOf('=');
  if (attributes.includes('Max-Age=0')) cookies.delete(pair.slice(0, at));
  else cookies.set(pair.slice(0, at), pair.slice(at + 1));
}
