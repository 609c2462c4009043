import { lookup } from 'node:dns/promises';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecure, type TLSSocket } from 'node:tls';
import { counted } from '../../run/counted.ts';
import type { Session } from '../../run/session.ts';
import { type Check, failed, passed, reasonOf, skipped } from './check.ts';
import { proxyFor } from './proxy.ts';

const TIMEOUT_MS = 5_000;
const DAY_MS = 86_400_000;
const SOON_DAYS = 14;

/** Checks each step of the connection to the service. */
export async function checkAddress({ io }: Session, host: string): Promise<Check[]> {
  const url = new URL(host);
  const proxy = proxyFor(url, io.env);
  const proxyCheck = proxy
    ? passed('proxy', `${proxy.address}, from ${proxy.variable}`)
    : passed('proxy', 'none: requests go directly to the service');
  if (proxy) {
    const through = `Done by the proxy`;
    return [proxyCheck, skipped('name', through), skipped('connection', through), skipped('certificate', through)];
  }
  const name = await checkName(url);
  if (name.status === 'failed') return [proxyCheck, name, ...notTried('connection', 'certificate')];
  const connection = await checkConnection(url, io.signal);
  if (connection.status === 'failed') return [proxyCheck, name, connection, ...notTried('certificate')];
  return [proxyCheck, name, connection, await checkCertificate(url, io)];
}

export function notTried(...names: string[]): Check[] {
  return names.map((name) => skipped(name, 'The service was not reached'));
}

/** Without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');
const portOf = ({ port, protocol }: URL) => Number(port || (protocol === 'https:' ? 443 : 80));

async function checkName(url: URL): Promise<Check> {
  const host = hostOf(url);
  if (isIP(host)) return passed('name', `${host} is an address, not a name`);
  try {
    const found = await lookup(host, { all: true });
    return passed('name', `${host} resolves to ${found.map(({ address }) => address).join(', ')}`);
  } catch (error) {
    return failed(
      'name',
      'unavailable',
      `${host} cannot be resolved: ${reasonOf(error)}`,
      'Check the spelling of --host; a host in a company network may need its DNS server or a VPN',
    );
  }
}

async function checkConnection(url: URL, signal: AbortSignal): Promise<Check> {
  const where = `${hostOf(url)}:${portOf(url)}`;
  try {
    const socket = connectPlain({ host: hostOf(url), port: portOf(url), signal });
    await settled(socket, 'connect');
    socket.destroy();
    return passed('connection', where);
  } catch (error) {
    return failed(
      'connection',
      'unavailable',
      `No connection to ${where}: ${reasonOf(error)}`,
      'Check that the service is running and that this machine can connect to it (firewall, port, HTTPS_PROXY)',
    );
  }
}

async function checkCertificate(url: URL, { now, signal }: Session['io']): Promise<Check> {
  if (url.protocol !== 'https:') return plainHttp(url);
  const host = hostOf(url);
  try {
    const servername = isIP(host) ? {} : { servername: host };
    const socket: TLSSocket = connectSecure({ host, port: portOf(url), ...servername });
    signal.addEventListener('abort', () => socket.destroy(), { once: true });
    await settled(socket, 'secureConnect');
    const { valid_to: validTo } = socket.getPeerCertificate();
    const protocol = socket.getProtocol();
    socket.destroy();
    return untilText(Date.parse(validTo), now().getTime(), `${protocol}`);
  } catch (error) {
    return failed(
      'certificate',
      'unavailable',
      `The certificate of ${host} is not accepted: ${reasonOf(error)}`,
      'If a private certificate authority issued it, set WAYMARK_CA_FILE to the certificate of that authority',
    );
  }
}

function untilText(until: number, now: number, protocol: string): Check {
  const days = Math.floor((until - now) / DAY_MS);
  const text = `${protocol}, valid until ${new Date(until).toISOString().slice(0, 10)}`;
  return passed('certificate', days < SOON_DAYS ? `${text}: expires in ${counted(days, 'day')}` : text);
}

function plainHttp({ hostname }: URL): Check {
  const isHere = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  if (isHere) return skipped('certificate', 'Plain HTTP, on this machine');
  return failed(
    'certificate',
    'usage',
    'Plain HTTP: others on the network can read the key and change what is recorded',
    'Use an https:// URL',
  );
}

async function settled(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`no response within ${TIMEOUT_MS / 1000} s`)));
  socket.once(event, () => resolve());
  socket.on('error', reject);
  await promise;
}
