import { complianceNow } from '@waymark/contract';
import type { State } from '../../ui/StateBadge.tsx';

/** The result of one policy in a snapshot. Waived failures count in `waived_count` only. */
export interface PolicyCounts {
  readonly failing_count: number;
  readonly waived_count: number;
}

export interface PolicyVerdict {
  readonly state: State;
  /** Such as `1 failing, 2 waived`. */
  readonly word: string;
}

/**
 * Returns the words and the state that every page shows for a policy; with `running`, also out of how many. A stale
 * environment follows the same rule as its own verdict: it keeps a failure, and nothing in it is known to pass.
 */
export function policyVerdict(counts: PolicyCounts, isStale: boolean, running?: number): PolicyVerdict {
  const { state, word } = recordedVerdict(counts, running);
  return { state: complianceNow(state, isStale), word: isStale ? `${word} · stale` : word };
}

function recordedVerdict({ failing_count, waived_count }: PolicyCounts, running: number | undefined): PolicyVerdict {
  const of = running === undefined ? '' : ` of ${running.toLocaleString('en')}`;
  const fails = `${failing_count.toLocaleString('en')}${of} failing`;
  const waived = waived_count.toLocaleString('en');
  if (failing_count > 0) {
    return { state: 'non-compliant', word: waived_count > 0 ? `${fails}, ${waived} waived` : fails };
  }
  return waived_count > 0
    ? { state: 'waived', word: `${waived}${of} waived` }
    : { state: 'compliant', word: 'All pass' };
}
