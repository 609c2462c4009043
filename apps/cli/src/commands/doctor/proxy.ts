import type { Io } from '../../run/io.ts';

export interface Proxy {
  readonly variable: string;
  /** Without credentials. */
  readonly address: string;
}

/** Returns the proxy for requests to an address, by the variables that Node reads. */
export function proxyFor(url: URL, env: Io['env']): Proxy | undefined {
  const scheme = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const variable = [scheme, scheme.toUpperCase()].find((name) => env[name]);
  if (variable === undefined || isExempt(url, env['no_proxy'] || env['NO_PROXY'] || '')) return undefined;
  const address = URL.parse(env[variable] ?? '');
  return { variable, address: address ? `${address.protocol}//${address.host}` : 'not an address' };
}

function isExempt({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const own = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  return noProxy
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const name = entry.replace(/^\*?\./, '');
      return name === hostname || name === own || hostname.endsWith(`.${name}`);
    });
}
