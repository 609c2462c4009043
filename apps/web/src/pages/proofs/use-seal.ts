import { getLedger, type LedgerEntry, listLedgerEntries } from '@waymark/contract';
import { useNow } from '../../lib/now.ts';
import { useRead } from '../../lib/queries.ts';
import { useRefetchWhile } from '../deliveries/use-refetch-while.ts';
import { type ProofSubject, queryOf } from './proof-subject.ts';
import { type SealState, sealStateOf } from './proof-words.ts';

interface Seal {
  readonly entry: LedgerEntry | undefined;
  /** Undefined while it is loading. */
  readonly state: SealState | undefined;
  readonly error: Error | null;
}

/** Cosignatures arrive after the signature. */
const YOUNG_SECONDS = 60;

/** The newest entry about a subject, and whether it is sealed. Refetched until it is, and while cosignatures arrive. */
export function useSeal(org: string, of: ProofSubject): Seal {
  const now = useNow();
  const entries = useRead(
    listLedgerEntries,
    { params: { org }, query: { ...queryOf(of), per_page: 1 } },
    { fresh: true },
  );
  const entry = entries.data?.data[0];
  const isUnsealed = entries.data !== undefined && !entry?.sealed;
  const ledger = useRead(getLedger, { params: { org } }, { enabled: isUnsealed });
  const isKnown = entries.data !== undefined && (!isUnsealed || ledger.data !== undefined || ledger.error !== null);
  const state = isKnown ? sealStateOf(entry, ledger.data?.state) : undefined;
  const isYoung = entry?.sealed ? now - entry.sealed.signed_at < YOUNG_SECONDS : false;
  useRefetchWhile(state === 'waiting' || state === 'absent' || isYoung, entries.refetch);
  return { entry, state, error: entries.error };
}
