import { isIP } from 'node:net';
import { domainToUnicode } from 'node:url';
import { OutboundError } from './outbound-error.ts';
import { isPublic } from './public-address.ts';

const maxLength = 2048;

/** Ports on which a public server is expected to speak HTTPS; the empty one is 443. Others are somebody's database. */
const publicPorts = new Set(['', '8443']);

/** Names that never belong to the public internet, whatever a resolver returns for them. */
const internalSuffixes = [
  'alt',
  'arpa',
  'cluster.local',
  'consul',
  'corp',
  'example',
  'home',
  'i2p',
  'internal',
  'intra',
  'intranet',
  'invalid',
  'lan',
  'local',
  'localdomain',
  'localdomain6',
  'localhost',
  'lxd',
  'mail',
  'mesos',
  'nomad',
  'onion',
  'private',
  'svc',
  'test',
];

const namePattern = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/**
 * Parses a URL that a customer gave. The host must be in its canonical spelling: others, such as decimal or octal
 * addresses, digits of other scripts, stray slashes or control characters, serve to get past a reader.
 */
export function parseOutboundUrl(text: string): URL {
  if (text.length > maxLength) throw badUrl(`is longer than ${maxLength} characters`);
  if (!/^[\x21-\x7e]+$/.test(text) || text.includes('\\')) {
    throw badUrl('contains a space, a backslash, or a non-ASCII character');
  }
  const [, scheme, authority] = /^(https?):\/\/([^/?#]*)/.exec(text) ?? [];
  if (!scheme || authority === undefined) throw badUrl('must begin with https://');
  if (authority.includes('@')) throw badUrl('contains a user name or password');

  const url = URL.parse(text);
  if (!url || !isWrittenAs(authority, url) || !isHost(hostOf(url)) || url.port === '0') {
    throw badUrl('has a host that is not a plain domain name or address');
  }
  return url;
}

/** The host without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Why a URL may only lead into networks that the operator permits; undefined if any public address is fine. */
export function restrictionOf(url: URL): string | undefined {
  const host = hostOf(url);
  if (url.protocol !== 'https:') return `${host} must be called with https://`;
  if (!publicPorts.has(url.port)) return `${host} must be called on port 443 or 8443`;
  if (isInternalName(host)) return `${host} is not a public host name`;
  if (isIP(host) && !isPublic(host)) return `${host} is not a public address`;
  return undefined;
}

export function isInternalName(host: string): boolean {
  if (isIP(host)) return false;
  return !host.includes('.') || internalSuffixes.some((suffix) => host.endsWith(`.${suffix}`));
}

/** A label that claims to be of another script and does not decode is interpreted differently by every reader. */
export function isHostName(text: string): boolean {
  return namePattern.test(text) && !/(^|\.)xn--/.test(domainToUnicode(text));
}

function isWrittenAs(authority: string, url: URL): boolean {
  const written = authority.toLowerCase();
  const defaultPort = url.protocol === 'https:' ? '443' : '80';
  return written === url.host || (url.port === '' && written === `${url.host}:${defaultPort}`);
}

function isHost(host: string): boolean {
  return isIP(host) !== 0 || isHostName(host);
}

function badUrl(reason: string): OutboundError {
  return new OutboundError('bad_url', `The URL ${reason}`);
}
