import type { Logger } from '../log.ts';
import { signOrgHeads } from './org-checkpoints.ts';
import { type CheckpointParts, compareWithObjects, ForkedLog, signRegionHead } from './region-checkpoints.ts';
import { stopSigning } from './sealer-state.ts';

export type SigningParts = CheckpointParts & { readonly log: Logger };

/** Signs the head of the region log, and the heads of orgs that it covers. Returns false once signing has stopped. */
export async function signHeads(parts: SigningParts, epoch: number): Promise<boolean> {
  return unlessForked(parts, epoch, async () => {
    await signRegionHead(parts, epoch);
    while ((await signOrgHeads(parts.db, parts.keys, epoch)) > 0);
  });
}

/** Returns false, and stops signing, if the object store has what this database does not continue. */
export function compareSigned(parts: SigningParts, epoch: number): Promise<boolean> {
  return unlessForked(parts, epoch, () => compareWithObjects(parts, epoch));
}

async function unlessForked({ db, log }: SigningParts, epoch: number, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof ForkedLog)) throw error;
    await stopSigning(db, epoch, error.message);
    log.error({ epoch, because: error.message }, 'signing of the ledger stopped');
    return false;
  }
}
