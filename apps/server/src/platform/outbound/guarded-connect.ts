import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { type Denied, isDeniedAddress, isDeniedName } from './denied.ts';
import { OutboundError } from './outbound-error.ts';
import { hostOf, isInternalName, restrictionOf } from './outbound-url.ts';
import { isPermitted, isPublic, isSameAddress, type parseNetworks } from './public-address.ts';
import type { FindName, Found } from './resolve-name.ts';

/** Connects to one of the addresses, with the name in the target for SNI and the certificate. */
export type Dial = (
  target: buildConnector.Options,
  addresses: readonly string[],
  connected: buildConnector.Callback,
  signal?: AbortSignal,
) => void;

export interface Guard {
  readonly networks: ReturnType<typeof parseNetworks>;
  readonly denied: Denied;
  readonly findName: FindName;
  readonly dial: Dial;
}

/**
 * A connector for one URL. The name is resolved only here, and exactly the addresses that were checked are dialed, so a
 * name that resolves differently between check and connection gains nothing.
 */
export function guardedConnect(url: URL, guard: Guard, signal: AbortSignal): buildConnector.connector {
  return (target, connected) => {
    const checked = new AbortController();
    checkedAddresses(url, guard, AbortSignal.any([signal, checked.signal]))
      // Questions whose answers did not matter are not left behind.
      .finally(() => checked.abort())
      .then(
        (addresses) => {
          if (signal.aborted) connected(asError(signal.reason), null);
          else guard.dial(target, addresses, verifyPeer(hostOf(url), addresses, connected), signal);
        },
        (error: unknown) => connected(asError(error), null),
      );
  };
}

/** The peer is checked as soon as there is a connection, before TLS sends the host name to it. */
export function dialPinned(options: { timeoutMs: number; ca?: string }): Dial {
  return (target, addresses, connected, signal) => {
    const connect = buildConnector({
      lookup: answerWith(addresses),
      timeout: options.timeoutMs,
      ...(signal && { signal }),
    });
    const secure = buildConnector({
      ...(options.ca === undefined ? {} : { ca: options.ca }),
      allowH2: false,
      maxCachedSessions: 0,
      // Set here, so that no environment variable can override it.
      rejectUnauthorized: true,
      timeout: options.timeoutMs,
    });
    if (target.protocol !== 'https:') return connect(target, connected);
    const port = target.port || '443';
    const whenChecked = verifyPeer(target.hostname, addresses, (...outcome) => {
      if (outcome[0]) connected(...outcome);
      else secure({ ...target, port, httpSocket: outcome[1] }, connected);
    });
    connect({ ...target, protocol: 'http:', port }, whenChecked);
  };
}

async function checkedAddresses(url: URL, guard: Guard, signal: AbortSignal): Promise<readonly string[]> {
  const host = hostOf(url);
  if (isDeniedName(host, guard.denied)) throw refused(host);
  const restriction = restrictionOf(url);
  // An internal name that cannot be permitted is not even resolved: the query alone would reveal who asks.
  if (restriction && guard.networks.length === 0) throw new OutboundError('blocked', restriction);

  const { addresses, aliases } = isIP(host) ? { addresses: [host], aliases: [] } : await resolved(host, guard, signal);
  const others = addresses.filter((address) => !isPermitted(address, guard.networks));
  const denied =
    addresses.some((address) => isDeniedAddress(address, guard.denied)) ||
    aliases.some((name) => isDeniedName(name, guard.denied));
  if (others.length === 0 && !denied) return addresses;
  // As if it did not resolve: otherwise internal names could be found by trying.
  if (isInternalName(host)) throw unresolved(host);
  if (denied) throw refused(host);
  if (restriction) throw new OutboundError('blocked', restriction);
  if (!others.every(isPublic) || aliases.some(isInternalName)) throw refused(host);
  return addresses;
}

async function resolved(host: string, guard: Guard, signal: AbortSignal) {
  try {
    const found = await guard.findName(host, signal);
    const aliases = canDoWithoutAliases(found, guard) ? [] : await found.aliases;
    if (found.addresses.length > 0) return { addresses: found.addresses, aliases };
  } catch (cause) {
    throw unresolved(host, cause);
  }
  throw unresolved(host);
}

/** DNS servers of container networks answer for addresses, and fail or do not respond when asked for anything else. */
function canDoWithoutAliases({ addresses }: Found, { networks, denied }: Guard): boolean {
  return denied.names.length === 0 && addresses.every((address) => isPermitted(address, networks));
}

/** One message, whether a name or an address is the reason, and whoever owns it. */
function refused(host: string): OutboundError {
  return new OutboundError('blocked', `${host} resolves to an address that is not allowed`);
}

function unresolved(host: string, cause?: unknown): OutboundError {
  const reason = isInternalName(host) ? 'does not resolve to an allowed address' : 'cannot be resolved';
  return new OutboundError('unresolved', `The name ${host} ${reason}`, cause);
}

/** Checks the peer once more, before a byte of the request is written. */
function verifyPeer(
  host: string,
  addresses: readonly string[],
  connected: buildConnector.Callback,
): buildConnector.Callback {
  return (error, socket) => {
    if (error) return connected(error, null);
    const peer = socket.remoteAddress ?? '';
    if (addresses.some((address) => isSameAddress(address, peer))) return connected(null, socket);
    socket.destroy();
    connected(new OutboundError('blocked', `${host} was reached at an address that was not checked`), null);
  };
}

function answerWith(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, answer) => {
    const [first] = answers;
    if (options.all) answer(null, answers);
    else if (first) answer(null, first.address, first.family);
  };
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
