import type { Db } from '../db/db.ts';
import { statement } from '../db/statement.ts';

/** The first head of the log of an org, in the newest epoch that has one, that covers an entry and is signed. */
export interface SealedHead {
  /** Of the entry. */
  readonly entry: number;
  readonly epoch: number;
  /** Of the region log. */
  readonly origin: string;
  /** Where the head is in the region log. */
  readonly leaf: number;
  /** The leaf, as it was hashed. */
  readonly data: string;
  /** The first checkpoint of the region log with that leaf. */
  readonly number: number;
  readonly signed_at: Date;
  /** Witnesses that cosigned that checkpoint or a later one. */
  readonly witnesses: number;
  readonly time_stamped: boolean;
}

/** There are few epochs: one begins only by a command. */
const findHeads = statement<{ log_id: string; entries: readonly number[] }, SealedHead>(
  'find_sealed_heads',
  `select wanted.entry, sealed.*,
     (select count(*) from witness where witness.epoch = sealed.epoch and witness.size >= sealed.checkpoint_size
       and witness.cosigned_at is not null) as witnesses,
     exists (select from time_stamp as stamp
       where stamp.epoch = sealed.epoch and stamp.number >= sealed.number) as time_stamped
   from unnest(:entries::bigint[]) as wanted (entry)
   cross join lateral (
     select log.epoch, log.origin, head.index as leaf, head.data, checkpoint.number, checkpoint.signed_at,
       checkpoint.size as checkpoint_size
     from region_log as log
     cross join lateral (
       select index, data from region_leaf
       where log_id = :log_id and epoch = log.epoch and size > wanted.entry order by size limit 1
     ) as head
     cross join lateral (
       select number, size, signed_at from region_checkpoint
       where epoch = log.epoch and size > head.index order by size limit 1
     ) as checkpoint
     order by log.epoch desc limit 1
   ) as sealed`,
);

/** Returns the head of each entry that is sealed, by the index of the entry. */
export async function findSealedHeads(
  db: Db,
  logId: string,
  entries: readonly number[],
): Promise<ReadonlyMap<number, SealedHead>> {
  if (entries.length === 0) return new Map();
  const found = await findHeads(db, { log_id: logId, entries });
  return new Map(found.map((head) => [head.entry, head]));
}
