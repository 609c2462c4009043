const MIB = 1024 * 1024;

/**
 * Limits on request bodies in one process. A body counts for its org and for its actor, who may have many orgs. Without
 * a credential it counts for its address.
 */
export interface BodyLimits {
  /** Memory for bodies that arrive or are in use by a handler. */
  readonly bytes: number;
  /** For an org, an actor or an address. */
  readonly bytesPerHolder: number;
  /** A holder of more than this can only use half of `bytes`: the other half is for those with less. */
  readonly littleBytes: number;
  /** Number of bodies that have not fully arrived. */
  readonly arriving: number;
  readonly arrivingPerOrg: number;
  /** Also for an address. */
  readonly arrivingPerActor: number;
  readonly littleArriving: number;
  /** Interval of the pace check. 0 turns it off. */
  readonly tickMs: number;
  /** A body that brings fewer than `paceBytes` in `paceTicks` is too slow. */
  readonly paceTicks: number;
  readonly paceBytes: number;
}

export const BODY_LIMITS: BodyLimits = {
  // Sixteen of the largest. Parsed they take several times as much, but are parsed one after the other.
  bytes: 128 * MIB,
  bytesPerHolder: 32 * MIB,
  // The largest body: a holder's first always finds room next to heavy senders.
  littleBytes: 8 * MIB,
  arriving: 4_000,
  arrivingPerOrg: 1_000,
  arrivingPerActor: 200,
  littleArriving: 20,
  tickMs: 1_000,
  paceTicks: 5,
  paceBytes: 5 * 1024,
};
