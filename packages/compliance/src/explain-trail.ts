import { counted } from './in-words.ts';
import type { Explanation, Status } from './judgement.ts';
import { fixOf, outcomeOf, problemsOf, sinceOf } from './problems.ts';
import type { Trail, TrailTemplate } from './trail.ts';

export function explainTrail(
  trail: Trail,
  children: readonly Explanation[],
  overridden: number,
): { readonly status: Status; readonly explanation: Explanation } {
  const outcome = outcomeOf(children);
  const counting = children.filter(({ kind }) => kind !== 'unplaced');
  const verdict = outcome.status === 'COMPLIANT' ? whyCompliant(trail, overridden) : problemsOf(outcome);
  const explanation: Explanation = {
    id: 'trail',
    kind: 'trail',
    status: outcome.status,
    needs: needsOf(trail.template),
    found: [],
    because: trail.autoCreated ? `${creationText(trail)} ${verdict}` : verdict,
    fix: fixOf(outcome),
    since: sinceOf(
      outcome,
      counting.map(({ since }) => since),
    ),
    children,
  };
  return { status: outcome.status, explanation };
}

function needsOf({ attestations, artifacts }: TrailTemplate): string {
  const needs = [
    attestations.length === 0 ? [] : counted(attestations.length, 'attestation'),
    artifacts.length === 0 ? [] : counted(artifacts.length, 'artifact'),
  ].flat();
  return needs.length === 0 ? 'Nothing: the template has no requirements.' : `${needs.join(' and ')}.`;
}

function whyCompliant({ template, attestations, artifacts }: Trail, overridden: number): string {
  const isEmpty = attestations.length === 0 && artifacts.length === 0;
  if (isEmpty && asksForNothing(template))
    return 'Nothing is required and nothing has been reported, so nothing fails.';
  const start = asksForNothing(template) ? 'Nothing is required' : 'Everything that the template requires is present';
  const overrides = `${counted(overridden, 'attestation')} ${overridden === 1 ? 'was' : 'were'} overridden as compliant.`;
  return `${start}, and nothing that counts fails.${overridden === 0 ? '' : ` ${overrides}`}`;
}

function creationText({ template }: Trail): string {
  return asksForNothing(template)
    ? 'This trail was created by its evidence: the flow did not exist when evidence arrived, so nothing is required.'
    : 'This trail was created by its evidence: the flow did not exist when evidence arrived, and got its template later.';
}

function asksForNothing({ attestations, artifacts }: TrailTemplate): boolean {
  return attestations.length === 0 && artifacts.length === 0;
}
