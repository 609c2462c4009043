import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ED25519, FormatError, parsePolicy, type TrustPolicy, verifierKey } from '@waymark/transparency';
import { usageError } from '../run/cli-error.ts';
import type { Session } from '../run/session.ts';

export const POLICY_HELP = 'trust policy: the keys of the log, and the witnesses whose cosignatures are required';

export function readTrustPolicy({ io }: Pick<Session, 'io'>, path: string): TrustPolicy {
  try {
    const policy = parsePolicy(readFileSync(resolve(io.cwd, path)));
    if (policy.logs.length > 0) return policy;
    throw usageError(`${path} names no log`, 'Add a line: log VERIFIER-KEY');
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw usageError(
      `${path} is not a trust policy: ${error.message}`,
      "'waymark ledger trust-policy' prints that of the service, to compare it with one that you got elsewhere",
    );
  }
}

const ORG = '/org/';

/**
 * Returns the policy for the log of an org. It is signed with the keys of the region log, under an origin that begins with
 * that of the region log. Witnesses cosign the region log only.
 */
export function policyOfOrgLog({ logs }: TrustPolicy, origin: string): TrustPolicy {
  const region = origin.slice(0, Math.max(0, origin.lastIndexOf(ORG)));
  return {
    logs: logs
      .filter(({ key }) => key.name === region && key.algorithm === ED25519)
      .map(({ key }) => ({ key: verifierKey(origin, ED25519, key.publicKey), url: undefined })),
    witnesses: [],
    groups: [],
    quorum: 'none',
  };
}
