import type { Db } from '../db/db.ts';
import { statement } from '../db/statement.ts';
import { hasQuorum, type WitnessPolicy } from './witness-policy.ts';

/** A checkpoint of the region log. */
export interface CosignedCheckpoint {
  readonly number: number;
  readonly size: number;
  readonly signed_at: Date;
  /** As it was signed, and with the cosignatures that have arrived. */
  readonly note: string;
  /** The keys of those who cosigned. */
  readonly verifier_keys: readonly string[];
}

/** Far more than witnesses that are up are ever behind. */
const RECENT_COSIGNATURES = 256;

/**
 * The newest checkpoint, those that were cosigned recently, and the last one of each witness: it is where a quorum was
 * last complete, however long ago a witness failed.
 */
const listCandidates = statement<{ epoch: number; above: number }, CosignedCheckpoint>(
  'list_cosigned_checkpoints',
  `with candidate as (
     select number from region_checkpoint where epoch = :epoch order by number desc limit 1
   ), recent as (
     select number from checkpoint_cosignature where epoch = :epoch order by number desc limit ${RECENT_COSIGNATURES}
   ), last as (
     select checkpoint.number from witness
     join region_checkpoint as checkpoint on checkpoint.epoch = witness.epoch and checkpoint.size = witness.size
     where witness.epoch = :epoch
   )
   select checkpoint.number, checkpoint.size, checkpoint.signed_at,
     checkpoint.note || coalesce(cosigned.lines, '') as note, coalesce(cosigned.verifier_keys, '{}') as verifier_keys
   from (select number from candidate union select number from recent union select number from last) as any_of
   join region_checkpoint as checkpoint on checkpoint.epoch = :epoch and checkpoint.number = any_of.number
   cross join lateral (
     select string_agg(line, '' order by verifier_key) as lines, array_agg(verifier_key) as verifier_keys
     from checkpoint_cosignature where epoch = :epoch and number = checkpoint.number
   ) as cosigned
   where checkpoint.size > :above
   order by checkpoint.number desc`,
);

/**
 * Returns the newest checkpoint that has more than so many leaves and the cosignatures that the policy requires. Until
 * there is one, returns the one with the most cosignatures, and of these the newest.
 */
export async function findCosigned(
  db: Db,
  policy: WitnessPolicy,
  { epoch, above }: { readonly epoch: number; readonly above: number },
): Promise<CosignedCheckpoint | undefined> {
  const candidates = await listCandidates(db, { epoch, above });
  return candidates.find(({ verifier_keys }) => hasQuorum(policy, verifier_keys)) ?? mostCosigned(candidates);
}

/** How long after a checkpoint was cosigned a newer one may be without cosignatures. */
const PATIENCE_MS = 60_000;

/**
 * Returns the newest checkpoint. While its cosignatures are on their way, returns the one before it that has them; but
 * not for long, so that readers learn that witnesses are missing.
 */
export async function findNewest(
  db: Db,
  policy: WitnessPolicy,
  epoch: number,
): Promise<CosignedCheckpoint | undefined> {
  const candidates = await listCandidates(db, { epoch, above: -1 });
  const [newest] = candidates;
  const cosigned = candidates.find(({ verifier_keys }) => hasQuorum(policy, verifier_keys));
  const isRecent = cosigned && newest && newest.signed_at.getTime() - cosigned.signed_at.getTime() <= PATIENCE_MS;
  return isRecent ? cosigned : newest;
}

function mostCosigned(candidates: readonly CosignedCheckpoint[]): CosignedCheckpoint | undefined {
  const most = Math.max(...candidates.map(({ verifier_keys }) => verifier_keys.length));
  return candidates.find(({ verifier_keys }) => verifier_keys.length === most);
}
