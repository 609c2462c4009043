import type { Artifact, Attestation, Judgement, Target, Trail } from '@waymark/compliance';
import { judgeTrail } from '@waymark/compliance';
import type { Template } from '@waymark/template';
import { textOf } from './json.ts';
import type { JournalEntry } from './ledger.ts';
import type { PackagedRecord } from './package-records.ts';
import type { TrailFacts } from './records/trail.ts';

/** What the verdict on a trail follows from. */
export interface EvidenceOfTrail {
  readonly trail: TrailFacts;
  readonly template: Template;
  readonly artifacts: readonly JournalEntry[];
  /** The entry of each attestation that is not erased, or that of its erasure. */
  readonly attestations: readonly JournalEntry[];
  /** By id. A package about one artifact has only those about it. */
  readonly records: ReadonlyMap<string, PackagedRecord>;
}

/** Judges a trail by its entries. Only the words of reasons are taken from records. */
export function judgeEvidence({ trail, template, artifacts, attestations, records }: EvidenceOfTrail): Judgement {
  const typeOf = new Map(attestations.map(({ subjectId, payload }) => [subjectId, textOf(payload?.['type'])]));
  const judged: Trail = {
    name: trail.name,
    template: template.trail,
    autoCreated: trail.autoCreated,
    attestations: attestations.map((entry) => toAttestation(entry, records.get(entry.subjectId), typeOf)),
    artifacts: artifacts.map(toArtifact),
  };
  return judgeTrail({
    ...judged,
    attestations: counting(judged.attestations),
    artifacts: newestArtifacts(judged.artifacts),
  });
}

function toAttestation(
  { subjectId: id, type: entryType, at, index, payload }: JournalEntry,
  record: PackagedRecord | undefined,
  typeOf: ReadonlyMap<string, string>,
): Attestation {
  const entry = payload ?? {};
  const isCompliant = entry['is_compliant'] === true;
  const overrides = entry['overrides'];
  const reasons = record?.value['reasons'];
  // The reason in the entry of an erasure is that of the erasure.
  const why = entryType === 'attestation.overridden' ? entry['reason'] : record?.value['override_reason'];
  return {
    id,
    receipt: typeof entry['receipt'] === 'number' ? entry['receipt'] : index,
    receivedAt: at,
    name: textOf(entry['name']),
    type: textOf(entry['type']),
    isCompliant,
    target: targetOf(entry),
    reasons: overrides === undefined && isCompliant ? [] : Array.isArray(reasons) ? reasons.map(String) : [],
    overrides:
      typeof overrides === 'string'
        ? { id: overrides, type: textOf(entry['counts_as'] ?? typeOf.get(overrides)), reason: textOf(why) }
        : null,
  };
}

function targetOf(payload: Readonly<Record<string, unknown>>): Target {
  const { fingerprint, target_artifact: artifact, commit } = payload;
  if (typeof fingerprint === 'string' && fingerprint !== '') return { kind: 'fingerprint', fingerprint };
  if (typeof artifact === 'string' && artifact !== '') return { kind: 'named', artifact, commit: textOf(commit) };
  return { kind: 'trail' };
}

function toArtifact({ subjectId: id, at, index, payload }: JournalEntry): Artifact {
  const entry = payload ?? {};
  const orNull = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    id,
    receipt: typeof entry['receipt'] === 'number' ? entry['receipt'] : index,
    reportedAt: at,
    fingerprint: textOf(entry['fingerprint']),
    templateName: orNull(entry['template_name']),
    commit: orNull(entry['commit']),
    filename: textOf(entry['filename']),
  };
}

/**
 * The newest report of each name, type and target, and its newest override for each way to name the artifact. Others
 * have no effect on a verdict, and the server does not read them.
 */
function counting(attestations: readonly Attestation[]): Attestation[] {
  const targetOfOne = ({ target }: Attestation) => JSON.stringify(target);
  const reports = newestBy(
    attestations.filter(({ overrides }) => overrides === null),
    (report) => JSON.stringify([report.name, report.type, targetOfOne(report)]),
  );
  const ids = new Set(reports.map(({ id }) => id));
  const overriding = attestations.filter(({ overrides }) => overrides !== null && ids.has(overrides.id));
  return [...reports, ...newestBy(overriding, (one) => JSON.stringify([one.overrides?.id, targetOfOne(one)]))];
}

function newestArtifacts(artifacts: readonly Artifact[]): Artifact[] {
  return newestBy(artifacts, ({ fingerprint, templateName, commit }) =>
    JSON.stringify([fingerprint, templateName, commit]),
  );
}

function newestBy<T extends { readonly receipt: number }>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const newest = new Map<string, T>();
  for (const item of items) {
    const known = newest.get(keyOf(item));
    if (!known || known.receipt < item.receipt) newest.set(keyOf(item), item);
  }
  return [...newest.values()];
}
