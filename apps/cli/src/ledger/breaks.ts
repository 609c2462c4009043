import type { RegionLogs } from '@waymark/contract';
import type { SignedCheckpoint } from '@waymark/transparency';
import { oneLine } from '../run/table.ts';
import { LedgerFault } from './ledger-fault.ts';
import type { VerifiedCheckpoint } from './newest-checkpoint.ts';
import type { StoredCheckpoint } from './stored-checkpoint.ts';

interface Place {
  readonly file: string;
}

/** What a monitor exists for: each break of a log, in words for people who were not there. */

export function conflictFile(file: string): string {
  return `${file}.conflict`;
}

const keepBoth = ({ file }: Place) =>
  `Keep ${file} and ${conflictFile(file)}: the log signed both, so together they prove it to anyone. ` +
  'Then ask the operator of the service what happened';

export function forked(place: Place, known: SignedCheckpoint, { signed, note }: VerifiedCheckpoint): LedgerFault {
  const [old, next] = [known.checkpoint, signed.checkpoint];
  if (old.origin !== next.origin) {
    return new LedgerFault(
      `The service shows the log ${next.origin}, and the checkpoint that you stored is of ${old.origin}`,
      {
        why: 'A log keeps its origin for as long as its epoch lasts',
        fix: `Check the address of the service, and that ${place.file} belongs to it`,
        note,
      },
    );
  }
  const isSameSize = old.size === next.size;
  return new LedgerFault(`FORK: the log ${old.origin} was rewritten`, {
    why: isSameSize
      ? `It signed two different trees of ${old.size} leaves`
      : `Its checkpoint of ${next.size} leaves does not contain the ${old.size} leaves of the checkpoint that you stored`,
    fix: keepBoth(place),
    note,
  });
}

export function smaller(place: Place, known: SignedCheckpoint, { signed, note }: VerifiedCheckpoint): LedgerFault {
  const { origin, size } = known.checkpoint;
  return new LedgerFault(`The log ${origin} got smaller`, {
    why: `It has ${signed.checkpoint.size} leaves, and ${size} in the checkpoint that you stored; a log only grows`,
    fix: keepBoth(place),
    note,
  });
}

export function unknownEpoch({ file }: Place, epoch: number, current: number): LedgerFault {
  return new LedgerFault(
    `The service says that the current epoch is ${current}, and you stored a checkpoint of epoch ${epoch}`,
    {
      why: 'Epochs only increase: the service shows an earlier state, or it is another service',
      fix: `Check the address of the service, and keep ${file}. Then ask the operator of the service`,
    },
  );
}

export function unacceptedEpoch(
  { file }: Place,
  { stored, signed }: StoredCheckpoint,
  { epochs, current }: RegionLogs,
) {
  const begun = epochs.find(({ epoch }) => epoch === current);
  const reason = begun?.reason ? `: '${oneLine(begun.reason)}'` : ', without a reason';
  return new LedgerFault(`The region log began epoch ${current}: it does not continue the log that you watched`, {
    why:
      `The operator began it${reason}. The checkpoint that you stored is of epoch ${stored.region.epoch}, with ` +
      `${signed.checkpoint.size} leaves`,
    fix:
      `Ask the operator of the service why. To go on, put the key of ${begun?.origin ?? 'the epoch'} into the trust ` +
      `policy instead of the old one, and run this once with --accept-epoch ${current}: it says what was lost. The old ` +
      `checkpoint stays in ${file}`,
  });
}
