import { formatVerifierKey, parsePolicy, type TrustPolicy } from '@waymark/transparency';
import { parseOutboundUrl } from '../../outbound/outbound-url.ts';
import type { AskedWitness } from './witness.store.ts';

/** Reads a C2SP tlog-policy whose witnesses are asked, so each has a URL. */
export function parseWitnessPolicy(text: string): TrustPolicy {
  const policy = parsePolicy(text);
  for (const { name, url } of policy.witnesses) {
    if (url === undefined) throw new Error(`the witness '${name}' has no URL, which follows its key`);
    parseOutboundUrl(url);
  }
  return policy;
}

export function askedWitnesses({ witnesses }: TrustPolicy): AskedWitness[] {
  return witnesses.map(({ name, key, url = '' }) => ({ name, verifierKey: formatVerifierKey(key), url }));
}
