import { isIP } from 'node:net';
import { isHostName } from './outbound-url.ts';
import { carriedAddresses, isInside, parseNetworks } from './public-address.ts';

/** Destinations that are never called, whatever else is permitted. */
export interface Denied {
  readonly networks: ReturnType<typeof parseNetworks>;
  /** Each with everything below it. */
  readonly names: readonly string[];
}

/** Where clouds hand out credentials to anyone who asks. A permitted network may contain some of them. */
const metadataAddresses = [
  '100.100.100.200/32',
  '168.63.129.16/32',
  '169.254.169.254/32',
  '169.254.170.2/32',
  '169.254.170.23/32',
  '192.0.0.192/32',
  'fd00:ec2::23/128',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
];

/** Networks, addresses and domain names, as an operator wrote them. */
export function parseDenied(items: readonly string[]): Denied {
  const names: string[] = [];
  const networks = [...metadataAddresses];
  for (const item of items) {
    const name = item.toLowerCase().replace(/^(\*?\.)|\.$/g, '');
    if (item.includes('/')) networks.push(item);
    else if (isIP(item)) networks.push(`${item}/${isIP(item) === 4 ? 32 : 128}`);
    else if (isHostName(name)) names.push(name);
    else throw new Error(`'${item}' is not a network, an address or a domain name`);
  }
  return { networks: parseNetworks(networks), names };
}

export function isDeniedName(name: string, denied: Denied): boolean {
  return denied.names.some((suffix) => name === suffix || name.endsWith(`.${suffix}`));
}

export function isDeniedAddress(address: string, denied: Denied): boolean {
  return [address, ...carriedAddresses(address)].some((each) => isInside(each, denied.networks));
}
