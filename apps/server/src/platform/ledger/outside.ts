import type { Db } from '../db/db.ts';
import { runLeader } from '../journal/leader.ts';
import type { Logger } from '../log.ts';
import type { GuardedFetch } from '../outbound/guarded-fetch.ts';
import type { Authority } from './time-stamps/request-stamp.ts';
import { stampCheckpoints } from './time-stamps/stamper.ts';
import { collectCosignatures } from './witnesses/collector.ts';
import type { AskedWitness } from './witnesses/witness.store.ts';

/** One process per database asks witnesses and the authority: several would only repeat each other. */
const OUTSIDE_LOCK = 7_201_004;

interface OutsideParts {
  readonly db: Db;
  readonly witnesses: readonly AskedWitness[];
  /** Absent without time stamps. */
  readonly authority: Authority | undefined;
  readonly outbound: GuardedFetch;
  readonly now: () => Date;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Collects what others say of the region log, beside the sealer, which does not wait for it. */
export function runOutside(parts: OutsideParts): Promise<void> {
  const { authority, signal } = parts;
  return runLeader({
    ...parts,
    lock: OUTSIDE_LOCK,
    name: 'collector of cosignatures',
    async lead(db) {
      // If one ends, for example because the connection is lost, so does the other.
      const ended = new AbortController();
      const both = { ...parts, db, signal: AbortSignal.any([signal, ended.signal]) };
      const work = [collectCosignatures(both), ...(authority ? [stampCheckpoints({ ...both, authority })] : [])];
      try {
        await Promise.race(work);
      } finally {
        ended.abort();
        await Promise.allSettled(work);
      }
    },
  });
}
