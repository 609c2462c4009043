import { LRUCache } from 'lru-cache';

/** Callers to remember; the least recently seen are treated as new. */
const REMEMBERED = 20_000;

export interface CallerOrg {
  readonly org: string;
  readonly countsFor: string;
}

/**
 * The org for which a credential was last used. It says nothing about permissions: it only helps to refuse requests
 * that cannot be served in time before they cost anything.
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
