import type { TrustPolicy } from '@waymark/transparency';
import type { VerifiedCheckpoint } from './newest-checkpoint.ts';
import type { Stored } from './stored-checkpoint.ts';

export interface Watch {
  readonly policy: TrustPolicy;
  /** Undefined to watch the region log alone. */
  readonly org: string | undefined;
  /** How long to wait for witnesses. */
  readonly patienceMs: number;
  /** The epoch that the user accepts after the one that was stored. */
  readonly accepted: number | undefined;
  /** Where the last checkpoint is stored, for messages. */
  readonly file: string;
}

export interface Checked {
  readonly stored: Stored;
  readonly region: VerifiedCheckpoint;
  /** Heads of the org that the region log announced since the last check. */
  readonly announced: number;
}
