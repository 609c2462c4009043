import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once('error', () => done(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => done(true)));
  });
}

export async function areFree(ports: readonly number[]): Promise<boolean> {
  return (await Promise.all(ports.map(isFree))).every(Boolean);
}

/** For a private service of a test. Above every port base and below the ports of outgoing connections. */
export async function findFreePort(): Promise<number> {
  const port = randomInt(32_000, 32_768);
  return (await isFree(port)) ? port : findFreePort();
}

export async function refuseTakenPorts(name: string, ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    if (await isFree(port)) continue;
    throw new Error(
      `${name} needs port ${port}, which is taken by ${describeListener(port)}. ` +
        'Stop that process or set WAYMARK_SERVICES_PORT_BASE.',
    );
  }
}

function describeListener(port: number): string {
  const pid = findListener(port);
  if (pid === undefined) return 'a process this user cannot see';
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  return `pid ${pid} (${command})`;
}

function findListener(port: number): string | undefined {
  const sockets = listeningSockets(port);
  return readdirSync('/proc').find((pid) => /^\d+$/.test(pid) && openFiles(pid).some((file) => sockets.has(file)));
}

/** As the links under /proc/PID/fd name them: `socket:[inode]`. */
function listeningSockets(port: number): Set<string> {
  const localPort = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const listening = '0A';
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => readFileSync(table, 'utf8').split('\n'));
  const columns = rows.map((row) => row.trim().split(/\s+/));
  const matching = columns.filter((column) => column[1]?.endsWith(localPort) && column[3] === listening);
  return new Set(matching.map((column) => `socket:[${column[9]}]`));
}

function openFiles(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  } catch {
    // The process ended meanwhile, or belongs to someone else.
    return [];
  }
}
