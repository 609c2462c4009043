import { formatCheckpoint, orgLogOrigin } from '@waymark/transparency';
import type { Db } from '../db/db.ts';
import { statement } from '../db/statement.ts';
import { type LogKey, signAs } from './log-keys.ts';

const MAX_AT_ONCE = 512;

interface Unsigned {
  readonly org_id: string;
  readonly log_id: string;
  readonly origin: string;
  readonly size: number;
  readonly root: string;
}

/** Heads that a signed checkpoint of the region log covers. A log goes on meanwhile, so its root comes from the leaf. */
const findUnsigned = statement<{ epoch: number; limit: number }, Unsigned>(
  'find_unsigned_heads',
  `select log.org_id, log.log_id, region.origin, leaf.size, leaf.data::json ->> 'root' as root
   from org_log as log
   join region_log as region on region.epoch = log.announced_epoch
   join region_leaf as leaf
     on leaf.log_id = log.log_id and leaf.epoch = log.announced_epoch and leaf.size = log.announced_size
   left join org_log_checkpoint as signed on signed.org_id = log.org_id
   where log.announced_epoch = :epoch
     and (signed.org_id is null or signed.epoch <> log.announced_epoch or signed.size < log.announced_size)
     and leaf.index < (select max(size) from region_checkpoint where epoch = :epoch)
   limit :limit`,
);

const storeSigned = statement<
  { epoch: number; orgs: readonly string[]; sizes: readonly number[]; notes: readonly string[] },
  never
>(
  'store_org_checkpoints',
  `insert into org_log_checkpoint as signed (org_id, epoch, size, note, signed_at)
   select org_id, :epoch, size, note, now()
   from unnest(:orgs::uuid[], :sizes::bigint[], :notes::text[]) as head (org_id, size, note)
   order by org_id
   on conflict (org_id) do update set epoch = excluded.epoch, size = excluded.size, note = excluded.note,
     signed_at = excluded.signed_at,
     archived_size = case when signed.epoch = excluded.epoch then signed.archived_size else 0 end
   where (signed.epoch, signed.size) < (excluded.epoch, excluded.size)`,
);

/** Signs heads of org logs beside the passes, and returns how many there were. */
export async function signOrgHeads(db: Db, keys: readonly LogKey[], epoch: number): Promise<number> {
  const heads = await findUnsigned(db, { epoch, limit: MAX_AT_ONCE });
  if (heads.length === 0) return 0;
  const notes = await Promise.all(
    heads.map(async ({ log_id, origin, size, root }) => {
      const name = orgLogOrigin(origin, log_id);
      const text = formatCheckpoint({ origin: name, size, root: Buffer.from(root, 'hex'), extensions: [] });
      return signAs(name, keys, text);
    }),
  );
  const [orgs, sizes] = [heads.map(({ org_id }) => org_id), heads.map(({ size }) => size)];
  await storeSigned(db, { epoch, orgs, sizes, notes });
  return heads.length;
}
