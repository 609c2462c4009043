import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { OutboundError } from './outbound-error.ts';
import { hostOf, restrictionOf } from './outbound-url.ts';
import { isInside, isPublic, isSameAddress, type parseNetworks } from './public-address.ts';

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Connects to one of the addresses, with the name in the target for SNI and the certificate. */
export type Dial = (
  target: buildConnector.Options,
  addresses: readonly string[],
  connected: buildConnector.Callback,
) => void;

export interface Guard {
  readonly networks: ReturnType<typeof parseNetworks>;
  readonly resolve: Resolve;
  readonly dial: Dial;
}

/**
 * A connector for one URL. The name is resolved here and nowhere else, and the addresses that were checked are those
 * that are dialled, so a name that changes its mind between check and connection wins nothing.
 */
export function guardedConnect(url: URL, guard: Guard, signal: AbortSignal): buildConnector.connector {
  return (target, connected) => {
    checkedAddresses(url, guard).then(
      (addresses) => {
        if (signal.aborted) connected(asError(signal.reason), null);
        else guard.dial(target, addresses, verifyPeer(url, addresses, connected));
      },
      (error: unknown) => connected(asError(error), null),
    );
  };
}

/** Uses the resolver of the system, so that names in its hosts file work; what they point to is checked all the same. */
export const resolveWithSystem: Resolve = async (host) => {
  const found = await lookup(host, { all: true });
  return found.map((entry) => entry.address);
};

export function dialPinned(options: { timeoutMs: number; ca?: string }): Dial {
  return (target, addresses, connected) => {
    const connect = buildConnector({
      ...(options.ca === undefined ? {} : { ca: options.ca }),
      lookup: answerWith(addresses),
      allowH2: false,
      maxCachedSessions: 0,
      // Said here, so that no environment variable can say otherwise.
      rejectUnauthorized: true,
      timeout: options.timeoutMs,
    });
    connect(target, connected);
  };
}

async function checkedAddresses(url: URL, guard: Guard): Promise<readonly string[]> {
  const host = hostOf(url);
  const restriction = restrictionOf(url);
  // An internal name that cannot be permitted is not even asked for: the question alone tells who listens.
  if (restriction && guard.networks.length === 0) throw new OutboundError('blocked', restriction);

  const addresses = isIP(host) ? [host] : await resolved(host, guard.resolve);
  const others = addresses.filter((address) => !isInside(address, guard.networks));
  if (restriction && others.length > 0) throw new OutboundError('blocked', restriction);
  if (!others.every(isPublic)) {
    throw new OutboundError('blocked', `${host} points to an address that is not of the public internet`);
  }
  return addresses;
}

async function resolved(host: string, resolve: Resolve): Promise<readonly string[]> {
  const addresses = await resolve(host).catch((cause: unknown) => {
    throw unresolved(host, cause);
  });
  if (addresses.length === 0) throw unresolved(host);
  return addresses;
}

function unresolved(host: string, cause?: unknown): OutboundError {
  return new OutboundError('unresolved', `The name ${host} could not be resolved`, cause);
}

/** Looks once more at who is at the other end, before a byte of the request is written. */
function verifyPeer(
  url: URL,
  addresses: readonly string[],
  connected: buildConnector.Callback,
): buildConnector.Callback {
  return (error, socket) => {
    if (error) return connected(error, null);
    const peer = socket.remoteAddress ?? '';
    if (addresses.some((address) => isSameAddress(address, peer))) return connected(null, socket);
    socket.destroy();
    connected(new OutboundError('blocked', `${hostOf(url)} was reached at an address that was not checked`), null);
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
