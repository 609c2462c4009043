import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isInternalName } from './outbound-url.ts';

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface Names {
  readonly resolve: Resolve;
  /** The names that a name is an alias of, one after another, as far as they can be seen. */
  readonly aliasesOf: Resolve;
}

/** At most five seconds for one question, of the ten that a request has. */
const patience = { timeout: 1000, tries: 3, maxTimeout: 2000 };

const maxAliases = 8;

/**
 * Uses the resolver of the system, so that names in its hosts file work. The search domains of a cluster are for names
 * of inside only: a public name is asked for with a dot at its end, which is what glibc and musl take for absolute.
 * The hosts file knows no such dot, so names in it are left as they are.
 */
export const systemNames: Names = {
  resolve: async (host) => {
    const absolute = !isInternalName(host) && !(await isInHostsFile(host));
    const found = await lookup(absolute ? `${host}.` : host, { all: true });
    return found.map((entry) => entry.address);
  },
  aliasesOf: async () => [],
};

/** Asks these servers and nothing else: no hosts file, no search domains. */
export function namesOf(servers: readonly string[]): Names {
  const resolver = resolverOf(servers);
  return {
    resolve: async (host) => {
      const families = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      const found = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
      // Servers that fail for one family are common; what is not known is not called.
      if (found.length === 0) for (const family of families) if (family.status === 'rejected') throw family.reason;
      return found;
    },
    aliasesOf: (host) => aliasesOf(resolver, host),
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

function resolverOf(servers: readonly string[]): Resolver {
  const resolver = new Resolver(patience);
  resolver.setServers(servers);
  return resolver;
}

async function aliasesOf(resolver: Resolver, host: string): Promise<readonly string[]> {
  const aliases: string[] = [];
  for (let name = host; ; ) {
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

async function isInHostsFile(host: string): Promise<boolean> {
  const text = await readFile('/etc/hosts', 'utf8').catch(() => '');
  return text.split('\n').some((line) => namesIn(line).includes(host));
}

function namesIn(line: string): string[] {
  const [entry = ''] = line.toLowerCase().split('#');
  return entry.trim().split(/\s+/).slice(1);
}
