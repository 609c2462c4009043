/** First parts of the paths of this service. A base path that begins with one could not be told from the path itself. */
const OWN = [
  ...['account', 'api', 'assets', 'confirm-address', 'docs', 'help', 'invitations', 'live', 'organizations'],
  ...['ready', 'scim', 'set-up', 'sign-in', 'sign-out', 'status', 'unsubscribe'],
];

/** The path of the public URL, such as `/waymark`; empty when the service has a host to itself. */
export function basePathOf(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/+$/, '');
}

/** Returns why the URL cannot be the address of the service, if it cannot. */
export function faultOfPublicUrl(publicUrl: string): string | undefined {
  const { protocol, username, password, search, hash } = new URL(publicUrl);
  if (!/^https?:$/.test(protocol)) return 'must begin with https:// or http://';
  if (username || password || search || hash) return 'must not have a user, query, or fragment';
  const path = basePathOf(publicUrl);
  if (!/^(\/[\w.~-]+)*$/.test(path))
    return `has the path '${path}': use only letters, digits, and . _ ~ - between slashes`;
  const [, first = ''] = path.split('/');
  return isOwnPath(first) ? `has the path '${path}', which Waymark itself uses: choose another one` : undefined;
}

export function isOwnPath(first: string): boolean {
  return OWN.includes(first);
}

/**
 * The path of a request as routes know it. Proxies either strip the base path or forward it, and need not say which. An
 * org with the name of the base path makes no difference: all addresses in an org are the page of the web application.
 */
export function withoutBase(basePath: string, url: string): string {
  if (basePath === '' || !url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' || rest.startsWith('?') ? `/${rest}` : url;
}
