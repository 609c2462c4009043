import { sql } from 'kysely';
import type { TestApi } from '../harness.ts';

/** A row of evidence as the model needs it, in order of receipt. */
export interface EvidenceRow {
  readonly id: string;
  readonly name: string;
  readonly counts_as: string;
  readonly is_compliant: boolean;
  readonly overrides_id: string | null;
  readonly fingerprint: string | null;
  readonly target_artifact: string | null;
}

/** What a report is about: the trail (''), or an artifact by its name. */
type SubjectOf = (row: EvidenceRow) => string;

export async function listEvidence(api: TestApi, trail: string): Promise<EvidenceRow[]> {
  const { rows } = await sql<EvidenceRow>`
    select attestation.id, attestation.name, counts_as, is_compliant, overrides_id, fingerprint, target_artifact
    from attestation join trail on trail.org_id = attestation.org_id and trail.id = attestation.trail_id
    where attestation.org_id = ${api.org.id} and trail.name = ${trail} order by attestation.receipt`.execute(api.db);
  return rows;
}

export interface ModelVerdict {
  readonly report: EvidenceRow;
  readonly subject: string;
  /** The newest override that names the report, or the report itself. */
  readonly deciding: EvidenceRow;
}

/**
 * Returns the newest report of each name, type and subject. Names in `ofAnyType` have one slot on the trail that takes
 * every type, so that only the newest of all types counts there.
 */
export function modelVerdictsOf(
  rows: readonly EvidenceRow[],
  subjectOf: SubjectOf,
  ofAnyType: ReadonlySet<string>,
): ModelVerdict[] {
  const newest = new Map<string, EvidenceRow>();
  const overrides = new Map<string, EvidenceRow>();
  for (const row of rows) {
    if (row.overrides_id !== null) {
      overrides.set(row.overrides_id, row);
      continue;
    }
    const subject = subjectOf(row);
    const type = subject === '' && ofAnyType.has(row.name) ? '*' : row.counts_as;
    newest.set([row.name, type, subject].join(' '), row);
  }
  return [...newest.values()].map((report) => ({
    report,
    subject: subjectOf(report),
    deciding: overrides.get(report.id) ?? report,
  }));
}
