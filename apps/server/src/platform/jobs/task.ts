import type { Db } from '../db/db.ts';

/** Scheduled work. Runs in one worker at a time, and again after a failure, so it must tolerate repetition. */
export interface Task {
  readonly name: string;
  /** Five fields, UTC. */
  readonly cron: string;
  run(db: Db): Promise<void>;
}
