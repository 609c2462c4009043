/** The ledger is read in this many lanes; all entries of an org are in one of them. */
export const LANES = 64;

/** The lane of an org. */
export function laneOf(org: string): number {
  return Number.parseInt(org.slice(-2), 16) % LANES;
}
