import { Resolver } from 'node:dns/promises';
import { hostsFile } from './hosts-file.ts';

/** What a name leads to. */
export interface Found {
  readonly addresses: readonly string[];
  /** The names that it is an alias of, one after another; fails if they cannot be learned. */
  readonly aliases: Promise<readonly string[]>;
}

/** What is still being asked when the signal is aborted is given up. */
export type FindName = (host: string, signal: AbortSignal) => Promise<Found>;

/** At most five seconds for one question to one server, of the ten that a request has. */
const patience = { timeout: 1000, tries: 3, maxTimeout: 2000 };

const maxAliases = 8;

/** Asks these servers and nothing else: no hosts file, no search domains. */
export function namesOf(servers: readonly string[]): FindName {
  return (host, signal) => ask(resolverOf(servers), host, signal);
}

/**
 * Looks into the hosts file, and then asks the DNS servers of the system. Not by `lookup`: it waits in one of the few
 * threads that files and cryptography need as well, for as long as the system likes, so that a handful of names
 * whose servers are silent would hold up everybody.
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

/** One for each name, so that giving it up touches no other. Without servers it has those of the system as of now. */
function resolverOf(servers?: readonly string[]): Resolver {
  const resolver = new Resolver(patience);
  if (servers) resolver.setServers(servers);
  return resolver;
}

async function ask(resolver: Resolver, host: string, signal: AbortSignal): Promise<Found> {
  signal.throwIfAborted();
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  const aliases = aliasesOf(resolver, host, signal);
  // Who needs them learns of the failure; nobody else does.
  aliases.catch(() => undefined);
  return { addresses: await addressesOf(resolver, host), aliases };
}

async function addressesOf(resolver: Resolver, host: string): Promise<readonly string[]> {
  const families = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
  // Servers that fail for one family are common; what is not known is not called.
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
