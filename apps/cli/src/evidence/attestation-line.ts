import type { Attestation, AttestationOutcome } from '@waymark/contract';
import { counted } from '../run/counted.ts';
import type { Style } from '../run/style.ts';
import { cut, oneLine } from '../run/table.ts';

const MAX_LENGTH = 100;

/** Returns a short result: what the service read, or why it fails. */
export function foundIn(attestation: Attestation): string {
  // The reason includes the findings and the level that fails.
  const isScan = attestation.attestation_type === 'snyk';
  const counts = isScan && !attestation.is_compliant ? undefined : countsOf(attestation);
  // The reporter's own reason says more than the verdict.
  const { reason: given } = attestation.annotations;
  const reason = typeof given === 'string' ? given : attestation.reasons[0];
  const why = attestation.is_compliant && counts !== undefined ? undefined : reason;
  return (
    cut(oneLine([counts, why].filter(Boolean).join(' — ')), MAX_LENGTH) ||
    (attestation.is_compliant ? 'compliant' : 'not compliant')
  );
}

function countsOf({ attestation_type, outcome, evaluation, attestation_data }: Attestation): string | undefined {
  const read = numbersIn(evaluation);
  if (outcome === 'no_tests') return 'no tests';
  if (attestation_type === 'junit' && read['total'] !== undefined) {
    const { total = 0, failures = 0, errors = 0, skipped = 0 } = read;
    const passed = total - failures - errors - skipped;
    return `${passed} passed, ${failures + errors} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  }
  if (attestation_type === 'snyk' && read['errors'] !== undefined) {
    const { errors, warnings = 0, notes = 0 } = read;
    return `${counted(errors, 'error')}, ${counted(warnings, 'warning')}, ${counted(notes, 'note')}${thresholdIn(evaluation)}`;
  }
  if (attestation_type === 'sbom' && read['component_count'] !== undefined) {
    return counted(read['component_count'], 'component');
  }
  if (attestation_type === 'vex' && read['statement_count'] !== undefined) {
    return counted(read['statement_count'], 'statement');
  }
  if (attestation_type === 'in_toto') return wordsOf(outcome);
  return listsOf(attestation_type, attestation_data);
}

/** Shows which level fails: findings below it count as compliant. */
function thresholdIn(evaluation: unknown): string {
  const { threshold } = evaluation as { threshold?: { fails_at?: unknown } };
  return typeof threshold?.fails_at === 'string' ? ` (fails at ${threshold.fails_at})` : '';
}

/** `signature_invalid` becomes `signature invalid`. */
export function wordsOf(outcome: AttestationOutcome): string {
  return outcome.replaceAll('_', ' ');
}

function listsOf(type: string, data: unknown): string | undefined {
  const { pull_requests: requests, jira_results: issues } = (data ?? {}) as Record<string, unknown>;
  if (type === 'pull_request' && Array.isArray(requests)) {
    return requests.map((request: { url?: unknown }) => String(request.url)).join(', ') || undefined;
  }
  if (type === 'jira' && Array.isArray(issues)) {
    return issues.map((issue: { issue_id?: unknown }) => String(issue.issue_id)).join(', ') || undefined;
  }
  return undefined;
}

function numbersIn(value: unknown): Partial<Record<string, number>> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, one]) => typeof one === 'number'));
}

export function signOf(isCompliant: boolean | undefined, style: Style): string {
  if (isCompliant === undefined) return style.doubtful('…');
  return isCompliant ? style.good('✓') : style.bad('✕');
}
