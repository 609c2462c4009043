import type { GuardedFetchOptions } from './guarded-fetch.ts';

/** What the operator says about calls to servers of customers. */
export interface OutboundSettings {
  readonly outboundNetworks: readonly string[];
  readonly outboundDenied: readonly string[];
  readonly outboundDns: readonly string[];
}

export function outboundOptions(settings: OutboundSettings): GuardedFetchOptions {
  return {
    allowedNetworks: settings.outboundNetworks,
    denied: settings.outboundDenied,
    dnsServers: settings.outboundDns,
  };
}
