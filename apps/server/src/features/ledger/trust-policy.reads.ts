import { formatVerifierKey } from '@waymark/transparency';
import type { Db } from '../../platform/db/db.ts';
import { Problem } from '../../platform/errors.ts';
import type { WitnessPolicy } from '../../platform/ledger/witness-policy.ts';
import { listRegionEpochs } from './region-epoch.reads.ts';

/** Returns a file of C2SP tlog-policy with the keys of the newest epoch, or throws a 404 if nothing is signed. */
export async function readTrustPolicy(db: Db, policy: WitnessPolicy, apiUrl: string): Promise<string> {
  const [newest] = await listRegionEpochs(db);
  if (!newest || newest.verifier_keys.length === 0) throw notSigning();
  const url = `${apiUrl}/region-log/${newest.epoch}`;
  const lines = [
    ...newest.verifier_keys.map((key) => `log ${key} ${url}`),
    ...policy.witnesses.map(({ name, key, url }) =>
      ['witness', name, formatVerifierKey(key), ...(url === undefined ? [] : [url])].join(' '),
    ),
    ...policy.groups.map(({ name, threshold, members }) => `group ${name} ${threshold} ${members.join(' ')}`),
    `quorum ${policy.quorum}`,
  ];
  return `${lines.join('\n')}\n`;
}

export function notSigning(): Problem {
  return new Problem('not_found', 'This installation signs no checkpoints, because it has no signing key');
}
