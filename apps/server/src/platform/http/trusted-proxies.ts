import { isIP } from 'node:net';
import { parseNetworks } from '../outbound/public-address.ts';

/** Rejects what is neither an address nor a range. A range of everything would let each caller choose its address. */
export function parseProxies(items: readonly string[]): void {
  for (const item of items) {
    if (!item.includes('/')) {
      if (!isIP(item) || item.includes('%')) {
        throw new Error(`'${item}' is not an address or a range such as 10.0.0.5, 10.0.0.0/8 or fd00::/8`);
      }
    } else if (/\/0+$/.test(item)) {
      throw new Error(`'${item}' contains every address: list the addresses of the proxies`);
    } else parseNetworks([item]);
  }
}
