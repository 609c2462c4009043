import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import { statement } from '../db/statement.ts';

/** What a sealer remembers between its passes. All of it is in the database as well. */
export interface SealerState {
  readonly pass: number;
  readonly epoch: number;
  /** Why nothing is signed. */
  readonly stoppedBecause: string | null;
}

/** Thrown when another sealer has taken over, or an epoch has begun: what this one remembers is of no use. */
export class SealerReplaced extends Error {
  constructor() {
    super('another sealer has made a pass');
  }
}

export async function loadSealer(db: Db): Promise<SealerState> {
  const { rows } = await sql<{ pass: number; epoch: number; stopped_because: string | null }>`
    select pass, epoch, stopped_because from sealer`.execute(db);
  const [{ pass, epoch, stopped_because } = { pass: 0, epoch: 1, stopped_because: null }] = rows;
  return { pass, epoch, stoppedBecause: stopped_because };
}

const movePass = statement<{ pass: number; entries: number }, { pass: number }>(
  'move_sealer_pass',
  'update sealer set pass = pass + 1, sealed = sealed + :entries where pass = :pass returning pass',
);

/** Moves the fence at the end of a pass, in its transaction. Nothing is written by a sealer that has been replaced. */
export async function fence(db: Db, { pass }: SealerState, entries = 0): Promise<void> {
  const moved = await movePass(db, { pass, entries });
  if (moved.length === 0) throw new SealerReplaced();
}

/** Stops signing until an operator begins a new epoch. The first reason stays. */
export async function stopSigning(db: Db, epoch: number, because: string): Promise<void> {
  await sql`
    update sealer set stopped_at = now(), stopped_because = ${because}
    where stopped_at is null and epoch = ${epoch}`.execute(db);
}
