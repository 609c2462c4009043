import type { assertArtifact } from '@waymark/contract';
import type { z } from 'zod';

type Assertion = Pick<
  z.output<(typeof assertArtifact)['reply']>,
  'fingerprint' | 'environment' | 'policy_evaluations' | 'compliance'
>;

/** Evidence that a policy requires where an artifact runs, and that is missing. */
export interface Demand {
  readonly fingerprint: string;
  readonly environment: string;
  readonly policy: string;
  /** Null when any name will do. */
  readonly name: string | null;
  readonly type: string;
  /** Evidence that is there and is not enough; null when there is none. */
  readonly attestationId: string | null;
  readonly reason: string;
}

export function demandsOf(assertion: Assertion): readonly Demand[] {
  const { environment } = assertion;
  if (environment === null) return [];
  return assertion.policy_evaluations.flatMap((evaluation) =>
    evaluation.rule_evaluations
      .filter(({ satisfied, ignored, rule }) => satisfied === false && !ignored && rule.type === 'attestation')
      .flatMap(({ rule, resolutions }) => {
        const asked = askedBy(rule.definition);
        const by = `Policy ${evaluation.policy_name} (version ${evaluation.policy_version}) requires ${asked.words} in ${environment}`;
        const common = { fingerprint: assertion.fingerprint, environment, policy: evaluation.policy_name, ...asked };
        const failing = resolutions.filter(({ type }) => type === 'non_compliant_attestation');
        return failing.length === 0
          ? [{ ...common, attestationId: null, reason: `${by}, and none was reported.` }]
          : failing.map(({ context }) => ({
              ...common,
              attestationId: textOf(context['attestation_id']),
              reason: `${by}, and this does not satisfy it.`,
            }));
      }),
  );
}

function askedBy(definition: Readonly<Record<string, unknown>>) {
  const name = textOf(definition['name']);
  const type = textOf(definition['type']) ?? '*';
  const parts = [
    name === null || name === '*' ? 'evidence' : `‘${name}’`,
    ...(type === '*' ? [] : [`of type ${type}`]),
    ...(definition['for_control'] ? [`on control ${textOf(definition['for_control'])}`] : []),
    ...(definition['min_approvals'] ? [`with ${definition['min_approvals']} approvals or more`] : []),
    ...(definition['min_trust'] ? [`with trust level ${textOf(definition['min_trust'])} or better`] : []),
    ...(definition['max_age'] ? [`at most ${textOf(definition['max_age'])} old`] : []),
    ...(Array.isArray(definition['issue_status'])
      ? [`with issues in status ${definition['issue_status'].join(' or ')}`]
      : []),
    ...(definition['min_deciders'] ? [`by ${definition['min_deciders']} people or more`] : []),
  ];
  return { name: name === '*' ? null : name, type, words: parts.join(' ') };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
