import { takeOrgPass } from './org-pass.ts';
import { type RegionKeys, takeRegionPasses } from './region-pass.ts';
import { loadSealer } from './sealer-state.ts';
import { compareSigned, type SigningParts, signHeads } from './sign-heads.ts';

/**
 * Brings everything that has been sequenced into signed checkpoints; without a key, only into the logs of the orgs. For
 * histories and tests that are made without a worker.
 */
export async function sealAll(parts: SigningParts & RegionKeys): Promise<void> {
  const { db, keys } = parts;
  let state = await loadSealer(db);
  for (let after: string | undefined, isMore = true; isMore; )
    ({ state, after, isMore } = await takeOrgPass(db, state, after));
  if (keys.length === 0 || state.stoppedBecause !== null || !(await compareSigned(parts, state.epoch))) return;
  await takeRegionPasses(parts, state);
  await signHeads(parts, state.epoch);
}
