import type { GuardedFetchOptions } from './guarded-fetch.ts';

/** The operator's settings for calls to customers' servers. */
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
