/** Fetches like a browser with the cookies of one site, and follows no redirect by itself. */
export function newWanderer(): (url: string) => Promise<Response> {
  const cookies = new Map<string, string>();
  return async (url) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';', 1);
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return response;
  };
}

/** The target of a redirect. */
export async function locationOf(response: Response): Promise<string> {
  const location = response.headers.get('location');
  const content = await response.text();
  if (location === null) throw new Error(`${response.url} answered ${response.status}: ${content.slice(-500)}`);
  return new URL(location, response.url).href;
}
