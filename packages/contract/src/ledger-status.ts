import { z } from 'zod';
import { EpochSeconds } from './primitives.ts';

/** Fields that the status of a ledger and the list of region logs share. */

const RootHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ description: 'Merkle tree hash, in hex' });

const VerifierKeys = z.array(z.string()).meta({
  description: 'Verifier keys of the region log, as in a signed note. More than one while keys are rotated',
});

const Epoch = z.number().int().min(1).meta({
  description: 'Epoch of the region log. A new one begins only if the log cannot continue, for example after a restore',
});

const CheckpointNumber = z.number().int().min(1).meta({ description: 'Number of the checkpoint in its epoch' });

const Witness = z
  .object({
    name: z.string(),
    verifier_key: z.string(),
    url: z.string(),
    size: z.number().int().meta({ description: 'Size of the region log in its last cosignature; 0 for none yet' }),
    cosigned_at: EpochSeconds.nullable().meta({ description: 'Time of its last cosignature; null for none yet' }),
    error: z.string().nullable().meta({ description: 'Why the last request failed; null if it succeeded' }),
  })
  .meta({ id: 'LedgerWitness' });
export type LedgerWitness = z.infer<typeof Witness>;

const RegionEpoch = z
  .object({
    epoch: Epoch,
    origin: z.string().meta({ description: 'Origin in the checkpoints of this epoch' }),
    began_at: EpochSeconds,
    size: z.number().int().meta({ description: 'Leaves in the region log of this epoch' }),
    reason: z.string().nullable().meta({ description: 'Why the epoch began; null for the first' }),
  })
  .meta({ id: 'RegionEpoch' });
export type RegionEpoch = z.infer<typeof RegionEpoch>;

export const LedgerStatus = z
  .object({
    log_id: z.string().nullable().meta({
      description: 'Random id of the log of this org, as in the region log; null until its first entry is sealed',
    }),
    origin: z.string().nullable().meta({ description: 'Origin in the checkpoints of this org; null with `log_id`' }),
    size: z.number().int().meta({ description: 'Sealed entries, which are those in the log' }),
    root: RootHash,
    entries_waiting: z.number().int().meta({ description: 'Entries that are recorded and not sealed yet' }),
    state: z.enum(['signed', 'unsigned', 'stopped']).meta({
      description:
        '`signed`: checkpoints are signed. `unsigned`: the installation has no signing key. `stopped`: signing ' +
        'stopped, because the log would not extend an earlier checkpoint; `reason` says why',
    }),
    reason: z.string().nullable().meta({ description: 'Why signing stopped' }),
    epoch: Epoch,
    verifier_keys: VerifierKeys,
    region: z
      .object({
        origin: z.string(),
        number: CheckpointNumber,
        size: z.number().int(),
        root: RootHash,
        signed_at: EpochSeconds,
      })
      .nullable()
      .meta({ description: 'Newest checkpoint of the region log; null for none' }),
    witnesses: z.array(Witness),
    time_stamp: z
      .object({
        number: CheckpointNumber,
        at: EpochSeconds,
        authority: z.string().nullable().meta({ description: 'Name of the time stamping authority, as in the token' }),
      })
      .nullable()
      .meta({ description: 'Newest time stamp of a checkpoint of the region log; null for none' }),
    epochs: z.array(RegionEpoch).meta({ description: 'Epochs of the region log, newest first' }),
    last_check: z
      .object({
        at: EpochSeconds,
        entries: z.number().int(),
        problems: z.number().int().meta({ description: 'Differences between the ledger and the records' }),
      })
      .nullable()
      .meta({ description: 'Newest self-check of the ledger of this org; null for none' }),
    growth: z
      .array(
        z.object({
          day: z.string().meta({ description: 'Day in UTC, such as 2026-11-18' }),
          entries: z.number().int(),
        }),
      )
      .meta({ description: 'Entries of each of the last 30 days, oldest first, days without entries included' }),
  })
  .meta({ id: 'LedgerStatus' });
export type LedgerStatus = z.infer<typeof LedgerStatus>;

export const RegionLogs = z
  .object({
    name: z.string().meta({ description: 'Name of the region log, with which its origins begin' }),
    current: Epoch.nullable().meta({ description: 'Newest epoch; null before the first checkpoint' }),
    epochs: z.array(RegionEpoch.extend({ verifier_keys: VerifierKeys })).meta({ description: 'Newest first' }),
  })
  .meta({ id: 'RegionLogs' });
export type RegionLogs = z.infer<typeof RegionLogs>;

export const LedgerEntry = z
  .object({
    index: z.number().int().meta({ description: 'Index in the log of the org, from 0' }),
    entry_id: z.string(),
    type: z.string().meta({ description: 'Event type, as in the event stream' }),
    recorded_at: EpochSeconds,
    actor_name: z.string().nullable().meta({ description: 'Null once the entry is erased' }),
    summary: z.string(),
    sealed: z
      .object({
        epoch: Epoch,
        number: CheckpointNumber,
        signed_at: EpochSeconds,
        witnesses: z.number().int().meta({ description: 'Witnesses that cosigned this checkpoint or a later one' }),
        time_stamped: z.boolean().meta({ description: 'Whether this checkpoint or a later one has a time stamp' }),
      })
      .nullable()
      .meta({
        description:
          'First signed checkpoint that covers the entry, in the newest epoch of the region log that does; null if not ' +
          'sealed yet',
      }),
  })
  .meta({ id: 'LedgerEntry' });
export type LedgerEntry = z.infer<typeof LedgerEntry>;
