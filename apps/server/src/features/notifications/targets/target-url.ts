import { isIP } from 'node:net';
import { OutboundError } from '../../../platform/outbound/outbound-error.ts';
import { hostOf, parseOutboundUrl, restrictionOf } from '../../../platform/outbound/outbound-url.ts';
import { isInside, parseNetworks } from '../../../platform/outbound/public-address.ts';

/** Replaces the part of a URL that not everybody may see. */
export const MASK = '…';
const MASKED = new RegExp(`/(${MASK}|${encodeURIComponent(MASK)})$`, 'i');

/**
 * Why a URL can never be called, as far as that is known without a DNS query: where its name leads is checked on every
 * send, and may change. Where the operator permits internal networks, a name or a port proves nothing.
 */
export function problemWithUrl(text: string, networks: readonly string[]): string | undefined {
  if (MASKED.test(text)) return 'is shown without its secret part: send the complete URL';
  const url = readUrl(text);
  if (typeof url === 'string') return url;
  const host = hostOf(url);
  const restriction = restrictionOf(url);
  const mayBePermitted = isIP(host) ? isInside(host, parseNetworks(networks)) : networks.length > 0;
  return restriction && !mayBePermitted ? `cannot be called: ${restriction}` : undefined;
}

function readUrl(text: string): URL | string {
  try {
    return parseOutboundUrl(text);
  } catch (error) {
    if (error instanceof OutboundError) return error.message.replace(/^The URL /, '');
    throw error;
  }
}
