import type { Explanation, Trail } from '@waymark/contract';
import {
  type ArtifactStatus,
  explainedArtifact,
  explainedSlot,
  type SlotStatus,
} from '../../pictures/evidence-chain-reasons.ts';
import type { State } from '../../ui/StateBadge.tsx';

export interface Check {
  readonly key: string;
  readonly name: string;
  /** As in the template, or as reported. */
  readonly type: string;
  readonly state: State;
  readonly word: string;
  /** Whether the template requires it. */
  readonly isRequired: boolean;
  readonly because: string;
  readonly fix: string | null;
  readonly since: number | null;
  readonly attestationId: string | null;
}

export interface CheckGroup {
  readonly key: string;
  readonly title: string;
  readonly artifact: ArtifactStatus | null;
  readonly because: string;
  readonly checks: readonly Check[];
}

/**
 * What the template requires, what was found for it, and why that is enough or not. First for the trail, then for each
 * artifact.
 */
export function checklistOf(
  { compliance_status: status }: Pick<Trail, 'compliance_status'>,
  explanation: Explanation | undefined,
): readonly CheckGroup[] {
  const ofTrail: CheckGroup = {
    key: 'trail',
    title: 'Whole trail',
    artifact: null,
    because: '',
    checks: status.attestations_statuses.map((slot) => checkOf(slot, explanation)),
  };
  const ofArtifacts = Object.entries(status.artifacts_statuses).map(([key, artifact]) => {
    const explained = explainedArtifact(explanation, key, artifact);
    return {
      key,
      title: key.split('@')[0] ?? key,
      artifact,
      because: explained?.because ?? '',
      checks: artifact.attestations_statuses.map((slot) => checkOf(slot, explained)),
    };
  });
  return [...(ofTrail.checks.length === 0 ? [] : [ofTrail]), ...ofArtifacts];
}

/** One item that is required or was reported; without a reason if there is no explanation of it. */
export function checkOf(slot: SlotStatus, level: Explanation | undefined): Check {
  const explained = explainedSlot(level, slot);
  return {
    key: `${slot.attestation_name} ${slot.attestation_type} ${slot.attestation_id ?? ''}`,
    name: slot.attestation_name,
    type: slot.attestation_type,
    ...verdictOf(slot),
    isRequired: !slot.unexpected,
    because: explained?.because ?? '',
    fix: explained?.fix ?? null,
    since: explained?.since ?? null,
    attestationId: slot.attestation_id,
  };
}

function verdictOf({ status, is_compliant, overridden_attestation_id }: SlotStatus): Pick<Check, 'state' | 'word'> {
  if (status === 'MISSING') return { state: 'unknown', word: 'Missing' };
  if (is_compliant !== true) return { state: 'non-compliant', word: 'Fails' };
  return overridden_attestation_id === null
    ? { state: 'compliant', word: 'Passes' }
    : { state: 'waived', word: 'Overridden' };
}

/** What fails counts whether or not the template requires it, because it makes the trail non-compliant. */
export interface Tally {
  readonly passing: number;
  readonly required: number;
  readonly failing: number;
  readonly missing: number;
}

export function tallyOf(groups: readonly Pick<CheckGroup, 'checks'>[]): Tally {
  const checks = groups.flatMap((group) => group.checks);
  const required = checks.filter(({ isRequired }) => isRequired);
  return {
    passing: required.filter(({ state }) => state === 'compliant' || state === 'waived').length,
    required: required.length,
    failing: checks.filter(({ state }) => state === 'non-compliant').length,
    missing: checks.filter(({ state }) => state === 'unknown').length,
  };
}

/** Such as `2 fail, 1 is missing, 5 of 6 required pass`. */
export function tallyWords({ passing, required, failing, missing }: Tally, none: string): string {
  return [
    failing > 0 && `${failing} ${failing === 1 ? 'fails' : 'fail'}`,
    missing > 0 && `${missing} ${missing === 1 ? 'is' : 'are'} missing`,
    required === 0 ? none : `${passing} of ${required} required pass`,
  ]
    .filter(Boolean)
    .join(', ');
}
