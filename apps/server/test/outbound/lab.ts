import ipaddr from 'ipaddr.js';
import { type Dial, dialPinned } from '../../src/platform/outbound/guarded-connect.ts';
import {
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchOptions,
} from '../../src/platform/outbound/guarded-fetch.ts';
import { findOutboundError, type OutboundErrorCode } from '../../src/platform/outbound/outbound-error.ts';
import { type DnsServer, startDnsServer } from './dns-server.ts';
import { type Inside, startInside } from './inside.ts';

export const anyPublic = '93.184.216.34';

/** The guard as it is used, with its own resolver, between a DNS server and internal services. */
export interface Lab {
  readonly dns: DnsServer;
  readonly inside: Inside;
  /** The addresses of each attempt to connect. */
  readonly dialled: (readonly string[])[];
  guarded(options?: Partial<GuardedFetchOptions> & { readonly ca?: string }): GuardedFetch;
}

export async function startLab(ports: readonly number[] = []): Promise<Lab> {
  const dns = await startDnsServer();
  const inside = await startInside(ports);
  const dialled: (readonly string[])[] = [];
  return {
    dns,
    inside,
    dialled,
    guarded: ({ ca, ...options } = {}) =>
      createGuardedFetch({
        allowedNetworks: [],
        dnsServers: [dns.address],
        dial: recording(dialled, dialPinned({ timeoutMs: 5000, ...(ca === undefined ? {} : { ca }) })),
        ...options,
      }),
  };
}

export interface Outcome {
  /** The error of the guard; undefined when there was a response. */
  readonly code: OutboundErrorCode | undefined;
  readonly message: string | undefined;
  readonly response: Response | undefined;
  /** Where connections were to be opened. */
  readonly dialled: readonly string[];
}

export async function outcomeOf(lab: Lab, calling: () => Promise<Response>): Promise<Outcome> {
  const before = lab.dialled.length;
  const done = (outcome: Partial<Outcome>): Outcome => ({
    code: undefined,
    message: undefined,
    response: undefined,
    ...outcome,
    dialled: lab.dialled.slice(before).flat(),
  });
  try {
    return done({ response: await calling() });
  } catch (thrown) {
    const error = findOutboundError(thrown);
    if (!error) throw thrown;
    return done({ code: error.code, message: error.message });
  }
}

/** Only loopback is connected to. For any other address that the guard allows, it is enough to know that it did. */
function recording(dialled: (readonly string[])[], dial: Dial): Dial {
  return (target, addresses, connected, signal) => {
    dialled.push([...addresses]);
    if (addresses.every(isLoopback)) dial(target, addresses, connected, signal);
    else connected(new Error('This test has no network'), null);
  };
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}
