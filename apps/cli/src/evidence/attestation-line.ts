import type { Attestation } from '@waymark/contract';
import type { Style } from '../run/style.ts';
import { cut, oneLine } from '../run/table.ts';

const LONGEST = 100;

/** What was found, in a few words: what the service read, or why it says no. */
export function foundIn(attestation: Attestation): string {
  const counts = countsOf(attestation);
  // What the reporter gave as the reason tells more than that there was a reporter.
  const reason = attestation.annotations['reason'] ?? attestation.reasons[0];
  const why = attestation.is_compliant && counts !== undefined ? undefined : reason;
  return (
    cut(oneLine([counts, why].filter(Boolean).join(' — ')), LONGEST) ||
    (attestation.is_compliant ? 'compliant' : 'not compliant')
  );
}

function countsOf({ attestation_type, evaluation, attestation_data }: Attestation): string | undefined {
  const read = numbersIn(evaluation);
  if (attestation_type === 'junit' && read['total'] !== undefined) {
    const { total = 0, failures = 0, errors = 0, skipped = 0 } = read;
    const passed = total - failures - errors - skipped;
    return `${passed} passed, ${failures + errors} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  }
  if (attestation_type === 'snyk' && read['high'] !== undefined) {
    return `${read['high']} high, ${read['medium'] ?? 0} medium, ${read['low'] ?? 0} low`;
  }
  if (attestation_type === 'sbom' && read['component_count'] !== undefined) {
    return read['component_count'] === 1 ? '1 component' : `${read['component_count']} components`;
  }
  return listsOf(attestation_type, attestation_data);
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
