import { Resolver } from 'node:dns/promises';
import { hostsFile } from './hosts-file.ts';

/** The result of resolving a name. */
export interface Found {
  readonly addresses: readonly string[];
  /** The names that it is an alias of, in order; rejects if they cannot be learned. */
  readonly aliases: Promise<readonly string[]>;
}

/** Pending queries are given up when the signal is aborted. */
export type FindName = (host: string, signal: AbortSignal) => Promise<Found>;

/** At most five seconds for one query to one server, of the ten that a request has. */
const patience = { timeout: 1000, tries: 3, maxTimeout: 2000 };

const maxAliases = 8;

/** Queries only these servers: no hosts file, no search domains. */
export function namesOf(servers: readonly string[]): FindName {
  return (host, signal) => ask(resolverOf(servers), host, signal);
}

/**
 * Reads the hosts file, and then queries the DNS servers of the system. Not by `lookup`: it blocks one of the few
 * threads that files and cryptography need as well, for as long as the system likes, so that a handful of names with
 * unresponsive servers would delay everybody.
 */
export function systemNames(path = '/etc/hosts'): FindName {
  const inHostsFile = hostsFile(path);
  return async (host, signal) => {
    const addresses = await inHostsFile(host);
    return addresses.length > 0 ? { addresses, aliases: Promise.resolve([]) } : ask(resolverOf(), host, signal);
  };
}

/** Servers as an operator wrote them, as addresses with or without a port. */
export function parseDnsServers(servers: readonly string[]): readonly string[] {
  for (const server of servers) {
    try {
      resolverOf([server]);
    } catch {
      throw new Error(`'${server}' is not the address of a DNS server such as 10.0.0.2 or [fd00::2]:5353`);
    }
  }
  return servers;
}

/** One per name, so that giving it up affects no other. Without servers it uses those of the system at this moment. */
function resolverOf(servers?: readonly string[]): Resolver {
  const resolver = new Resolver(patience);
  if (servers) resolver.setServers(servers);
  return resolver;
}

async function ask(resolver: Resolver, host: string, signal: AbortSignal): Promise<Found> {
  signal.throwIfAborted();
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  const aliases = aliasesOf(resolver, host, signal);
  // Callers that need them see the failure; others ignore it.
  aliases.catch(() => undefined);
  return { addresses: await addressesOf(resolver, host), aliases };
}

async function addressesOf(resolver: Resolver, host: string): Promise<readonly string[]> {
  const families = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
  // Servers that fail for one family are common; addresses that are not known are not called.
  if (found.length === 0) for (const family of families) if (family.status === 'rejected') throw family.reason;
  return found;
}

async function aliasesOf(resolver: Resolver, host: string, signal: AbortSignal): Promise<readonly string[]> {
  const aliases: string[] = [];
  for (let name = host; ; ) {
    signal.throwIfAborted();
    const [alias] = await resolver.resolveCname(name).catch(noneIfAbsent);
    if (alias === undefined) return aliases;
    if (aliases.length === maxAliases) throw new Error(`${host} has more than ${maxAliases} aliases`);
    name = alias.toLowerCase();
    aliases.push(name);
  }
}

function noneIfAbsent(error: unknown): string[] {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENODATA' || code === 'ENOTFOUND') return [];
  throw error;
}
