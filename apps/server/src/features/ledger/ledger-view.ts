import type { LedgerEntry, LedgerStatus, RegionEpoch } from '@waymark/contract';
import { emptyRoot, orgLogOrigin, parseSignedCheckpoint, regionOrigin } from '@waymark/transparency';
import type { SealedHead } from '../../platform/ledger/sealed-heads.ts';
import { epochSeconds } from '../../platform/time.ts';
import type { LedgerEntryRow } from './ledger-entry.reads.ts';
import type { LedgerStatusRows } from './ledger-status.reads.ts';
import type { RegionEpochRow } from './region-epoch.reads.ts';

export function toRegionEpoch({ epoch, origin, began_at, size, reason }: RegionEpochRow): RegionEpoch {
  return { epoch, origin, began_at: epochSeconds(began_at), size, reason };
}

export function toLedgerStatus(rows: LedgerStatusRows, name: string): LedgerStatus {
  const { log, sealing, epochs, checkpoint, witnesses, stamp, waiting, growth, lastCheck } = rows;
  const current = epochs.find(({ epoch }) => epoch === sealing.epoch);
  return {
    log_id: log?.log_id ?? null,
    origin: log ? orgLogOrigin(current?.origin ?? regionOrigin(name, sealing.epoch), log.log_id) : null,
    size: log?.size ?? 0,
    root: Buffer.from(log?.root ?? emptyRoot()).toString('hex'),
    entries_waiting: waiting,
    ...sealing,
    verifier_keys: [...(current?.verifier_keys ?? [])],
    region: checkpoint ? toRegionHead(checkpoint) : null,
    witnesses: witnesses.map(({ cosigned_at, ...witness }) => ({
      ...witness,
      cosigned_at: cosigned_at && epochSeconds(cosigned_at),
    })),
    time_stamp: stamp ? { number: stamp.number, at: epochSeconds(stamp.stamped_at), authority: stamp.authority } : null,
    epochs: epochs.map(toRegionEpoch),
    last_check: lastCheck ? { ...lastCheck, at: epochSeconds(lastCheck.at) } : null,
    growth,
  };
}

function toRegionHead({ number, note, signed_at }: NonNullable<LedgerStatusRows['checkpoint']>) {
  const { origin, size, root } = parseSignedCheckpoint(note).checkpoint;
  return { origin, number, size, root: Buffer.from(root).toString('hex'), signed_at: epochSeconds(signed_at) };
}

export function toLedgerEntry(row: LedgerEntryRow, summary: string, head: SealedHead | undefined): LedgerEntry {
  return {
    index: row.index,
    entry_id: row.id,
    type: row.type,
    recorded_at: epochSeconds(row.recorded_at),
    actor_name: row.is_erased ? null : row.actor_name,
    summary,
    sealed: head
      ? {
          epoch: head.epoch,
          number: head.number,
          signed_at: epochSeconds(head.signed_at),
          witnesses: head.witnesses,
          time_stamped: head.time_stamped,
        }
      : null,
  };
}
