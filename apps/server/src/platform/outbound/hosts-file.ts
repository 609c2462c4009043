import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { text } from 'node:stream/consumers';

/** Addresses by name. */
type Hosts = ReadonlyMap<string, ReadonlySet<string>>;

/** Block lists can be long. Lines that are not entirely within this limit are ignored. */
const maxBytes = 1024 * 1024;

/** Finds the addresses of a name in a hosts file, which is read again after a change. */
export function hostsFile(path: string): (host: string) => Promise<readonly string[]> {
  let last: { readonly version: string; readonly hosts: Promise<Hosts> } | undefined;
  return async (host) => {
    const file = await stat(path).catch(() => undefined);
    if (!file) return [];
    const version = [file.ino, file.size, file.mtimeMs].join();
    if (last?.version !== version) last = { version, hosts: read(path).catch(() => new Map()) };
    return [...((await last.hosts).get(host) ?? [])];
  };
}

async function read(path: string): Promise<Hosts> {
  // One byte more shows whether there is more.
  const content = await text(createReadStream(path, { end: maxBytes }));
  const isWhole = Buffer.byteLength(content) <= maxBytes;
  return parseHosts(isWhole ? content : content.slice(0, content.lastIndexOf('\n') + 1));
}

/** Lines that do not begin with an address, or with one that has a zone, are left out. */
export function parseHosts(content: string): Hosts {
  const hosts = new Map<string, Set<string>>();
  for (const line of content.toLowerCase().split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (!isIP(address) || address.includes('%')) continue;
    for (const name of names) hosts.set(name, (hosts.get(name) ?? new Set()).add(address));
  }
  return hosts;
}
