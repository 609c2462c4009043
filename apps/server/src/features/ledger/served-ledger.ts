import type { ObjectStore } from '../../platform/blobs/object-store.ts';
import type { WitnessPolicy } from '../../platform/ledger/witness-policy.ts';

/** What the ledger of this installation is called, and who is expected to cosign it. */
export interface ServedLedger {
  /** The name of the region log, with which its origins begin. */
  readonly name: string;
  readonly witnesses: WitnessPolicy;
  /** With the archived parts of the logs. */
  readonly objects?: ObjectStore;
}
