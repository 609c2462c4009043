import type { ReplyOf } from '@waymark/client';
import type { listSnapshotArtifacts } from '@waymark/contract';
import type { State } from '../../ui/StateBadge.tsx';

export type ArtifactPage = Pick<ReplyOf<typeof listSnapshotArtifacts>, 'snapshot' | 'counts' | 'artifacts'>;

export interface Effect {
  readonly snapshot: number;
  readonly at: number;
  /** Of the policy, when the snapshot was made; undefined when it did not judge yet, as `failing`. */
  readonly version: number | undefined;
  readonly failing: number | undefined;
  /** How many of `failing` are let pass; undefined when the page does not tell. */
  readonly waived: number | undefined;
  readonly running: number;
  readonly artifacts: readonly {
    readonly name: string;
    readonly fingerprint: string;
    readonly isWaived: boolean;
    readonly messages: readonly string[];
  }[];
}

/** What one policy says of what runs, out of a page of what fails anything. */
export function effectOf({ snapshot, counts, artifacts }: ArtifactPage, policy: string): Effect {
  const applied = snapshot.applied_policies.find(({ name }) => name === policy);
  const listed = artifacts.map(({ name, fingerprint, compliance, reasons_for_incompliance: reasons }) => ({
    name,
    fingerprint,
    isWaived: compliance === 'waived',
    messages: [...new Set(reasons.filter(({ policy_name }) => policy_name === policy).map(({ message }) => message))],
  }));
  const failing = listed.filter(({ messages }) => messages.length > 0);
  return {
    snapshot: snapshot.index,
    at: snapshot.timestamp,
    version: applied?.version,
    failing: applied?.failing_count,
    waived: applied?.failing_count === failing.length ? failing.filter(({ isWaived }) => isWaived).length : undefined,
    running: counts.compliant + counts['non-compliant'] + counts.unknown + counts.waived,
    artifacts: failing,
  };
}

export interface EffectVerdict {
  readonly state: State;
  readonly word: string;
}

/** What nobody has reported on lately, or where nothing runs, is not green. */
export function verdictOf(effect: Effect, isSilent: boolean): EffectVerdict {
  const { failing, waived, running } = effect;
  if (failing === undefined) return { state: 'unknown', word: 'Not judged by it yet' };
  if (running === 0) return { state: 'unknown', word: isSilent ? 'Silent' : 'Nothing runs there' };
  const told = verdictOfRunning(failing, waived, running);
  return isSilent ? { state: 'unknown', word: `Silent; in the last report: ${told.word}` } : told;
}

function verdictOfRunning(failing: number, waived: number | undefined, running: number): EffectVerdict {
  if (failing === 0) return { state: 'compliant', word: 'All pass' };
  if (waived === undefined) return { state: 'non-compliant', word: `${failing} of ${running} fail or are waived` };
  if (waived === failing) return { state: 'waived', word: `${waived} of ${running} waived` };
  const bad = failing - waived;
  const word = `${bad} of ${running} ${bad === 1 ? 'fails' : 'fail'}`;
  return { state: 'non-compliant', word: waived === 0 ? word : `${word}, ${waived} waived` };
}
