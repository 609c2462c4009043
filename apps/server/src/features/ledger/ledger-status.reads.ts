import type { Ctx } from '../../platform/ctx.ts';
import { statement } from '../../platform/db/statement.ts';
import { findNewest } from '../../platform/ledger/cosigned-checkpoint.ts';
import { findOrgLog } from '../../platform/ledger/org-tiles.ts';
import type { WitnessPolicy } from '../../platform/ledger/witness-policy.ts';
import { findLastCheck } from '../ledger-checks/last-check.reads.ts';
import { readGrowth } from './growth.reads.ts';
import { listRegionEpochs } from './region-epoch.reads.ts';
import { readSealing } from './sealing.reads.ts';

const MAX_COUNTED = 10_000;

/** Entries that are not in the order yet are few, unless the sequencer is down. */
const countWaiting = statement<{ org_id: string; size: number }, { readonly waiting: number }>(
  'count_unsealed_entries',
  `select coalesce((select size from ledger_head where org_id = :org_id), 0) - :size::bigint + (
     select count(*) from (
       select from journal where org_id = :org_id and seq > (select high_water from sequencer) limit ${MAX_COUNTED}
     ) as behind
   ) as waiting`,
);

interface WitnessRow {
  readonly name: string;
  readonly verifier_key: string;
  readonly url: string;
  readonly size: number;
  readonly cosigned_at: Date | null;
  readonly error: string | null;
}

/** A witness that has not cosigned in this epoch has cosigned nothing of this log. */
const listWitnesses = statement<{ epoch: number }, WitnessRow>(
  'list_witnesses',
  `select name, verifier_key, url, case when epoch = :epoch then size else 0 end as size, cosigned_at, error
   from witness order by name limit 256`,
);

interface TimeStampRow {
  readonly number: number;
  readonly stamped_at: Date;
  readonly authority: string;
}

const findNewestStamp = statement<{ epoch: number }, TimeStampRow>(
  'find_newest_time_stamp',
  'select number, stamped_at, authority from time_stamp where epoch = :epoch order by number desc limit 1',
);

/** Returns all that the status of the ledger of the org consists of. */
export async function readLedgerStatus(ctx: Ctx, policy: WitnessPolicy) {
  const [[log], sealing, epochs] = await Promise.all([
    findOrgLog(ctx.db, { org_id: ctx.org }),
    readSealing(ctx.db),
    listRegionEpochs(ctx.db),
  ]);
  const { epoch } = sealing;
  const [checkpoint, witnesses, stamps, [count], growth, lastCheck] = await Promise.all([
    findNewest(ctx.db, policy, epoch),
    listWitnesses(ctx.db, { epoch }),
    findNewestStamp(ctx.db, { epoch }),
    countWaiting(ctx.db, { org_id: ctx.org, size: log?.size ?? 0 }),
    readGrowth(ctx, log),
    findLastCheck(ctx),
  ]);
  const [stamp, waiting] = [stamps[0], count?.waiting ?? 0];
  return { log, sealing, epochs, checkpoint, witnesses, stamp, waiting, growth, lastCheck };
}

export type LedgerStatusRows = Awaited<ReturnType<typeof readLedgerStatus>>;
