import type { Db } from '../db/db.ts';

/** Work on a schedule. Runs in one worker at a time, again when it fails; so it must bear repetition. */
export interface Task {
  readonly name: string;
  /** Five fields, UTC. */
  readonly cron: string;
  run(db: Db): Promise<void>;
}
