import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Of IPv6 only this part is given out so far; all of IPv4 is. */
const givenOut = ['0.0.0.0/0', '2000::/3'].map((cidr) => ipaddr.parseCIDR(cidr));

/** Special addresses that the classification of ipaddr.js takes for ordinary ones, or may take for such one day. */
const neverPublic = [
  '168.63.129.16/32', // Azure answers here inside of every virtual machine.
  '2001::/23',
  '2002::/16',
  '3fff::/20',
].map((cidr) => ipaddr.parseCIDR(cidr));

/** Whether an address is of the public internet. Only what is known to be so is: the rest is special in some way. */
export function isPublic(address: string): boolean {
  return parsed(address)?.range() === 'unicast' && isInside(address, givenOut) && !isInside(address, neverPublic);
}

export function isInside(address: string, networks: readonly Network[]): boolean {
  const ip = parsed(address);
  return ip !== undefined && networks.some((network) => network[0].kind() === ip.kind() && ip.match(network));
}

export function isSameAddress(one: string, other: string): boolean {
  const ip = parsed(one);
  return ip !== undefined && ip.toString() === parsed(other)?.toString();
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

/** ipaddr.js reads short, octal and hexadecimal forms, too. Here an address has one spelling, and no zone. */
function parsed(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return isIP(address) && !address.includes('%') ? ipaddr.parse(address) : undefined;
}
