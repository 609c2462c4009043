import type { LedgerEntry, LedgerStatus } from '@waymark/contract';

/** What a line about an entry can say. `absent`: the entry is recorded, and has no index yet. */
export type SealState = 'sealed' | 'waiting' | 'unsigned' | 'stopped' | 'absent';

type Sealed = NonNullable<LedgerEntry['sealed']>;

/** The state of signing decides only about entries that are not sealed. */
export function sealStateOf(entry: LedgerEntry | undefined, signing: LedgerStatus['state'] | undefined): SealState {
  if (entry?.sealed) return 'sealed';
  if (signing === 'unsigned' || signing === 'stopped') return signing;
  return entry ? 'waiting' : 'absent';
}

const UNSEALED: Readonly<Record<Exclude<SealState, 'sealed'>, string>> = {
  waiting: 'not sealed yet',
  unsigned: 'not sealed: no signing key',
  stopped: 'not sealed: signing has stopped',
  absent: 'not in the ledger yet',
};

/** Such as `sealed in checkpoint 18,422`, and `2 witnesses`. */
export function sealWords(state: SealState, sealed: Sealed | null | undefined): readonly string[] {
  if (state !== 'sealed' || !sealed) return [UNSEALED[state === 'sealed' ? 'waiting' : state]];
  return [`sealed in ${checkpointWords(sealed)}`, witnessWords(sealed.witnesses)];
}

/** Numbers begin anew in each epoch, and most logs stay in their first. */
export function checkpointWords({ epoch, number }: Pick<Sealed, 'epoch' | 'number'>): string {
  const words = `checkpoint ${number.toLocaleString('en')}`;
  return epoch === 1 ? words : `${words} of epoch ${epoch}`;
}

export function witnessWords(count: number): string {
  if (count === 0) return 'no witness';
  return count === 1 ? '1 witness' : `${count} witnesses`;
}

/** The content of the entry is gone, and the name of the actor with it. */
export function isErased({ actor_name }: Pick<LedgerEntry, 'actor_name'>): boolean {
  return actor_name === null;
}

/** The entry says that others about the same attestation were erased, and restates what stays. */
export function isErasure({ type }: Pick<LedgerEntry, 'type'>): boolean {
  return type === 'attestation.erased';
}

/** Such as `Recorded`, which is followed by the time. */
export function recordedWords(entry: LedgerEntry | undefined): string {
  return entry !== undefined && isErasure(entry) ? 'Content erased' : 'Recorded';
}
