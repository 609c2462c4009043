import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Only this part of IPv6 has been allocated so far; all of IPv4 has. */
const givenOut = ['0.0.0.0/0', '2000::/3'].map((cidr) => ipaddr.parseCIDR(cidr));

/** Special addresses that the classification of ipaddr.js treats as ordinary, or may treat so one day. */
const neverPublic = [
  '168.63.129.16/32', // Azure answers here inside of every virtual machine.
  '2001::/23',
  '2002::/16',
  '3ffe::/16', // Given back, and since then nobody's.
  '3fff::/20',
].map((cidr) => ipaddr.parseCIDR(cidr));

const lastFour = [12, 13, 14, 15];

/** Addresses that embed an IPv4 address, and in which bytes. A local NAT64 can have it in more than one place. */
const carriers: readonly { readonly network: Network; readonly places: readonly (readonly number[])[] }[] = (
  [
    ['::/96', [lastFour]],
    ['::ffff:0:0/96', [lastFour]],
    ['::ffff:0:0:0/96', [lastFour]],
    ['64:ff9b::/96', [lastFour]],
    ['64:ff9b:1::/48', [[6, 7, 9, 10], lastFour]],
    ['2002::/16', [[2, 3, 4, 5]]],
  ] as const
).map(([cidr, places]) => ({ network: ipaddr.parseCIDR(cidr), places }));

/** Whether an address belongs to the public internet. Only known ranges do: all others are special in some way. */
export function isPublic(address: string): boolean {
  const ip = parsed(address);
  if (ip?.range() !== 'unicast' || isTunnel(ip)) return false;
  return isInside(address, givenOut) && !isInside(address, neverPublic);
}

/** ISATAP: any prefix, and an IPv4 address behind a marker that a kernel may act on. */
function isTunnel(ip: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const mark = ip.toByteArray().slice(8, 12).join('.');
  return mark === '0.0.94.254' || mark === '2.0.94.254';
}

export function isInside(address: string, networks: readonly Network[]): boolean {
  const ip = parsed(address);
  return ip !== undefined && networks.some((network) => network[0].kind() === ip.kind() && ip.match(network));
}

export function isSameAddress(one: string, other: string): boolean {
  const ip = parsed(one);
  return ip !== undefined && ip.toString() === parsed(other)?.toString();
}

/** Whether an address is in one of the networks, and any embedded address is as well. */
export function isPermitted(address: string, networks: readonly Network[]): boolean {
  return (
    isInside(address, networks) &&
    carriedAddresses(address).every((carried) => isPublic(carried) || isInside(carried, networks))
  );
}

/** The IPv4 addresses in an IPv6 address that a gateway or the kernel may extract. */
export function carriedAddresses(address: string): readonly string[] {
  const ip = parsed(address);
  // Loopback is in a range that once embedded addresses, and embeds none.
  if (ip?.kind() !== 'ipv6' || ip.range() === 'loopback') return [];
  const bytes = ip.toByteArray();
  const places = carriers.flatMap((carrier) => (ip.match(carrier.network) ? carrier.places : []));
  const carried = [...places, ...(isTunnel(ip) ? [lastFour] : [])].map((place) =>
    place.map((index) => bytes[index]).join('.'),
  );
  // Where there is more than one place, the empty one is not meant.
  const meant = carried.filter((each) => each !== '0.0.0.0');
  return meant.length > 0 ? meant : carried;
}

/** Networks in CIDR notation, as an operator wrote them. */
export function parseNetworks(cidrs: readonly string[]): readonly Network[] {
  return cidrs.map((cidr) => {
    if (!ipaddr.isValidCIDR(cidr) || !parsed(cidr.slice(0, cidr.indexOf('/')))) {
      throw new Error(`'${cidr}' is not a network such as 10.0.0.0/8 or fd00::/8`);
    }
    return ipaddr.parseCIDR(cidr);
  });
}

/** ipaddr.js also reads short, octal and hexadecimal forms. Here an address has one spelling, and no zone. */
function parsed(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return isIP(address) && !address.includes('%') ? ipaddr.parse(address) : undefined;
}
