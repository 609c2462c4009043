import { sql } from 'kysely';
import { type Alarm, createAlarm } from '../alarm.ts';
import type { ObjectStore } from '../blobs/object-store.ts';
import type { Db } from '../db/db.ts';
import { runLeader } from '../journal/leader.ts';
import type { Logger } from '../log.ts';
import { pause } from '../pause.ts';
import { type OrgPass, takeOrgPass } from './org-pass.ts';
import { type RegionKeys, takeRegionPasses } from './region-pass.ts';
import { loadSealer, type SealerState } from './sealer-state.ts';
import { compareSigned, signHeads } from './sign-heads.ts';

/** One sealer per database makes passes; the others wait for its advisory lock, which only keeps them quiet. */
const SEALER_LOCK = 7_201_003;
/** From one checkpoint to the next, while something changes: so long, passes over the logs of orgs go on before it. */
const CHECKPOINT_MS = 1_000;
const POLL_MS = 500;
/** Passes rest as long as the last one took: the sequencer and the writers go first. */
const MAX_REST_MS = 250;
const COMPARE_MS = 60_000;

export interface SealerParts extends RegionKeys {
  readonly db: Db;
  readonly objects: ObjectStore;
  /** Wakes when something was sequenced. */
  readonly sequenced?: Alarm;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Seals what is sequenced, and signs it, while it is the leader, and waits to become it while it is not. */
export function runSealer(parts: SealerParts): Promise<void> {
  return runLeader({ ...parts, lock: SEALER_LOCK, name: 'sealer', lead: (db) => lead({ ...parts, db }) });
}

async function lead(parts: SealerParts): Promise<void> {
  const { db, keys, signal } = parts;
  const sequenced = parts.sequenced ?? createAlarm();
  signal.addEventListener('abort', sequenced.wake, { once: true });
  try {
    await sql`update sealer set has_key = ${keys.length > 0} where has_key <> ${keys.length > 0}`.execute(db);
    await keepUp(parts, sequenced);
  } finally {
    signal.removeEventListener('abort', sequenced.wake);
  }
}

/** Where the next pass begins, and when what was signed is compared with the object store again. */
interface Round {
  readonly afterOrg?: string | undefined;
  readonly compareAt: number;
  readonly isBehind: boolean;
}

async function keepUp(parts: SealerParts, sequenced: Alarm): Promise<void> {
  const { signal } = parts;
  let round: Round = { compareAt: 0, isBehind: false };
  while (!signal.aborted) {
    sequenced.reset();
    const startedAt = performance.now();
    round = await takeRound(parts, round);
    if (!round.isBehind) await pause(Math.max(0, startedAt + CHECKPOINT_MS - performance.now()), signal);
    if (!round.isBehind && !sequenced.wasWoken()) await sequenced.sleep(POLL_MS);
  }
}

/** Everything sequenced goes into the logs of orgs, and their heads under one checkpoint. */
async function takeRound(parts: SealerParts, { afterOrg, compareAt }: Round): Promise<Round> {
  const sealed = await takeOrgPasses(parts, await loadSealer(parts.db), afterOrg);
  const next = { afterOrg: sealed.after, compareAt, isBehind: sealed.isMore };
  const { epoch, stoppedBecause } = sealed.state;
  if (parts.keys.length === 0 || stoppedBecause !== null) return next;
  const isCompared = performance.now() < compareAt;
  if (!isCompared && !(await compareSigned(parts, epoch))) return next;
  await takeRegionPasses(parts, sealed.state);
  await signHeads(parts, epoch);
  return isCompared ? next : { ...next, compareAt: performance.now() + COMPARE_MS };
}

async function takeOrgPasses({ db, signal }: SealerParts, first: SealerState, after: string | undefined) {
  const until = performance.now() + CHECKPOINT_MS;
  for (let pass: OrgPass = { state: first, after, entries: 0, isMore: true }; ; ) {
    const startedAt = performance.now();
    pass = await takeOrgPass(db, pass.state, pass.after);
    if (!pass.isMore || signal.aborted || performance.now() >= until) return pass;
    await pause(Math.min(MAX_REST_MS, performance.now() - startedAt), signal);
  }
}
