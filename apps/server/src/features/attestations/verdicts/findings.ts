import type * as api from '@waymark/contract';
import { FindingLevel } from '@waymark/contract';
import type { NormalizedFindings } from '@waymark/evidence';
import type { z } from 'zod';
import { invalidField } from '../../../platform/errors.ts';
import { counted, type EvidenceVerdict, firstOf, verdict } from '../verdict.ts';
import type { Threshold } from './threshold.ts';

interface Found {
  readonly errors: number;
  readonly warnings: number;
  readonly notes: number;
  readonly total: number;
  /** Is stored beside the verdict. */
  readonly normalized: NormalizedFindings;
  readonly findings?: readonly { readonly id: string; readonly level: FindingLevel }[];
}

const COUNTS = { error: 'errors', warning: 'warnings', note: 'notes' } as const;
const LEVELS = FindingLevel.options;

const SET_BY = {
  default: 'by default',
  org: 'set by the org',
  template: 'set by the template',
  request: 'set by the reporter',
} as const;

/** Compliant when no finding reaches the threshold. */
export function judgeFindings(found: Found, threshold: Threshold, more: Partial<EvidenceVerdict>): EvidenceVerdict {
  const { normalized: _, ...read } = found;
  const failing = LEVELS.slice(0, LEVELS.indexOf(threshold.fails_at) + 1);
  const isFailing = failing.some((level) => found[COUNTS[level]] > 0);
  const ids = (found.findings ?? []).filter(({ level }) => failing.includes(level)).map(({ id }) => id);
  const message = messageOf(found, threshold, isFailing ? ids : []);
  return verdict(isFailing ? [message] : [], {
    ...more,
    read: { ...read, threshold, ...(more.reading && { reading: more.reading.id }) },
    ...(!isFailing && found.total > 0 && { remark: message }),
  });
}

/** `2 errors, 5 warnings (CVE-1, CVE-2); fails at error, set by the org.` */
function messageOf(found: Found, { fails_at, set_by }: Threshold, ids: readonly string[]): string {
  const counts = LEVELS.filter((level) => found[COUNTS[level]] > 0).map((level) =>
    counted(found[COUNTS[level]], level),
  );
  const named = ids.length === 0 ? '' : ` (${firstOf(ids)})`;
  return `${counts.join(', ')}${named}; fails at ${fails_at}, ${SET_BY[set_by]}.`;
}

type SnykResults = NonNullable<z.output<(typeof api.attestSnyk)['body']>['snyk_results']>;

/** A list that is longer than the sent count wins. Critical and high are errors, medium is a warning. */
export function countSnykResults({ results }: SnykResults): Found {
  if (results.length === 0) throw invalidField('snyk_results.results', 'is empty: nothing was scanned');
  const counts = { critical: 0, high: 0, medium: 0, low: 0 };
  for (const { high_count, high, critical_count, critical, medium_count, medium, low_count, low } of results) {
    counts.critical += Math.max(critical_count ?? 0, critical?.length ?? 0);
    counts.high += Math.max(high_count, high?.length ?? 0);
    counts.medium += Math.max(medium_count, medium?.length ?? 0);
    counts.low += Math.max(low_count, low?.length ?? 0);
  }
  const found = { errors: counts.critical + counts.high, warnings: counts.medium, notes: counts.low };
  const others = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  return { ...found, total: found.errors + found.warnings + found.notes, normalized: { findings: [], others } };
}
