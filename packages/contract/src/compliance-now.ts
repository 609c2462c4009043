/** The known compliance of an environment, or of an artifact in it. */
type Known = 'compliant' | 'non-compliant' | 'unknown' | 'waived';

/** From best to worst. */
const RANKS = ['compliant', 'unknown', 'non-compliant'] as const;

export type EnvironmentCompliance = (typeof RANKS)[number];

/**
 * Returns the compliance now, given the latest snapshot's verdict and whether a report is overdue. A stale environment
 * may run anything by now, so it is not known to be compliant; a failure remains until a report ends it.
 */
export function complianceNow<Recorded extends Known>(recorded: Recorded, isStale: boolean): Recorded | 'unknown' {
  return isStale && recorded !== 'non-compliant' ? 'unknown' : recorded;
}

/** Returns the compliance of a logical environment from that of its members: the worst, or unknown without any. */
export function worstCompliance(members: readonly EnvironmentCompliance[]): EnvironmentCompliance {
  return RANKS.findLast((rank) => members.includes(rank)) ?? 'unknown';
}
