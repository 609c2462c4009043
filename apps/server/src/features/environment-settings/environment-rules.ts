import { allows, type EnvironmentType, leastRole } from '@waymark/contract';
import type { Actor } from '../../platform/ctx.ts';
import { forbidden, invalidField } from '../../platform/errors.ts';

/** The settings that a caller may change, besides name and type. Absent keys are left alone. */
export interface EnvironmentChange {
  readonly description?: string;
  readonly include_scaling?: boolean;
  readonly require_provenance?: boolean;
  /** Null resets it to the learned interval. */
  readonly expected_report_interval_s?: number | null;
  readonly included_environments?: readonly string[];
  readonly policies?: readonly string[];
}

/** These decide what is watched and judged, so a snapshotter may not set them. */
const MEMBERS_ONLY = ['included_environments', 'policies', 'expected_report_interval_s'] as const;

export function requireAllowed(actor: Actor, change: EnvironmentChange): void {
  if (actor.kind === 'system' || allows(actor.role, 'manage_environments')) return;
  const field = MEMBERS_ONLY.find((key) => change[key] !== undefined);
  if (field)
    throw forbidden(`Sending ${field} requires the ${leastRole('manage_environments')} role; yours is ${actor.role}`);
}

export function requireFitting(type: EnvironmentType, change: EnvironmentChange): void {
  if (type === 'logical') requireFittingLogical(change);
  else if (change.included_environments?.length) {
    throw invalidField('included_environments', `is for logical environments; this one is of type ${type}`);
  }
}

const LOGICAL_IS_NOT_JUDGED = 'the verdict of a logical environment follows from its members';

export function requireJudged(name: string, type: EnvironmentType): void {
  if (type === 'logical') throw invalidField('env_name', `cannot be '${name}': ${LOGICAL_IS_NOT_JUDGED}`);
}

function requireFittingLogical(change: EnvironmentChange): void {
  if (change.policies?.length) throw invalidField('policies', `must be empty: ${LOGICAL_IS_NOT_JUDGED}`);
  if (change.expected_report_interval_s !== undefined) {
    throw invalidField('expected_report_interval_s', 'is for physical environments: a logical one receives no reports');
  }
}
