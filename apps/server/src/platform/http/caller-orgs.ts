import { LRUCache } from 'lru-cache';

/** Callers that are remembered; the longest unseen are taken for strangers. */
const REMEMBERED = 20_000;

export interface CallerOrg {
  readonly org: string;
  readonly countsFor: string;
}

/**
 * For which org a credential was used last. It says nothing about what its owner may do, and serves to refuse what cannot
 * be served in time before it costs anything.
 */
export interface CallerOrgs {
  get(credentialHash: Buffer): CallerOrg | undefined;
  note(credentialHash: Buffer, caller: CallerOrg): void;
}

export function createCallerOrgs(): CallerOrgs {
  const orgs = new LRUCache<string, CallerOrg>({ max: REMEMBERED });
  return {
    get: (credentialHash) => orgs.get(credentialHash.toString('latin1')),
    note: (credentialHash, { org, countsFor }) => void orgs.set(credentialHash.toString('latin1'), { org, countsFor }),
  };
}
