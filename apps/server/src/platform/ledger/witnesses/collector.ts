import type { Db } from '../../db/db.ts';
import type { Logger } from '../../log.ts';
import type { GuardedFetch } from '../../outbound/guarded-fetch.ts';
import { pause } from '../../pause.ts';
import { type NewestCheckpoint, readNewestCheckpoint } from '../newest-checkpoint.ts';
import { askWitness } from './ask-witness.ts';
import {
  type AskedWitness,
  insertCosignature,
  type LastCosigned,
  listLastCosigned,
  replaceWitnesses,
  updateFailure,
} from './witness.store.ts';
import { WitnessProblem } from './witness-problem.ts';

const POLL_MS = 500;
/** Without a witness, only to keep the connection of the leader. */
const IDLE_MS = 5_000;
const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 5 * 60_000;

export interface CollectorParts {
  readonly db: Db;
  readonly witnesses: readonly AskedWitness[];
  readonly outbound: GuardedFetch;
  readonly now: () => Date;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** A witness between two requests. None waits for another. */
interface Turn {
  isAsked: boolean;
  failures: number;
  notBefore: number;
}

/** Brings each new checkpoint of the region log to every witness, and stores what they cosign, until the signal is given. */
export async function collectCosignatures(parts: CollectorParts): Promise<void> {
  const { db, witnesses, signal } = parts;
  await replaceWitnesses(db, witnesses);
  const turns = new Map<string, Turn>();
  const asked = new Set<Promise<void>>();
  while (!signal.aborted) {
    const newest = await readNewestCheckpoint(db);
    const states = newest ? await listLastCosigned(db) : [];
    for (const witness of newest ? witnesses : []) {
      const state = states.find(({ verifierKey }) => verifierKey === witness.verifierKey);
      const turn = turns.get(witness.verifierKey) ?? { isAsked: false, failures: 0, notBefore: 0 };
      turns.set(witness.verifierKey, turn);
      if (!newest || !state || !isDue(turn, state, newest)) continue;
      turn.isAsked = true;
      const asking = ask(parts, witness, state, newest, turn).finally(() => asked.delete(asking));
      asked.add(asking);
    }
    await pause(witnesses.length > 0 ? POLL_MS : IDLE_MS, signal);
  }
  await Promise.all(asked);
}

function isDue({ isAsked, notBefore }: Turn, { epoch, size }: LastCosigned, newest: NewestCheckpoint): boolean {
  return !isAsked && performance.now() >= notBefore && (epoch !== newest.epoch || size < newest.size);
}

async function ask(
  parts: CollectorParts,
  witness: AskedWitness,
  state: LastCosigned,
  newest: NewestCheckpoint,
  turn: Turn,
): Promise<void> {
  const { db, log, signal } = parts;
  try {
    const { checkpoint, cosignature } = await askWitness(parts, witness, state, newest);
    await insertCosignature(db, witness.verifierKey, checkpoint, cosignature);
    turn.failures = 0;
  } catch (error) {
    if (signal.aborted) return;
    turn.failures += 1;
    turn.notBefore = performance.now() + Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (turn.failures - 1));
    await report(parts, witness, error).catch((failure: unknown) => {
      log.warn({ error: String(failure) }, 'failure of a witness could not be recorded');
    });
  } finally {
    turn.isAsked = false;
  }
}

async function report({ db, log }: CollectorParts, { name, url, verifierKey }: AskedWitness, error: unknown) {
  if (!(error instanceof WitnessProblem)) {
    log.warn({ witness: name, error: String(error) }, 'witness could not be asked');
    return;
  }
  const { message, contradicts } = error;
  await updateFailure(db, verifierKey, { error: message, contradicts });
  if (contradicts) log.error({ witness: name, url, error: message }, 'a witness contradicts the region log');
  else log.warn({ witness: name, url, error: message }, 'witness did not cosign');
}
