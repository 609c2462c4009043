import type { JournalEntry } from './ledger.ts';
import { checkEvents } from './records/events.ts';
import type { TrailFacts } from './records/trail.ts';
import { evidenceIn, type Verifying } from './verify-evidence.ts';

/** The entries about a trail and its evidence. */
export interface TrailEvidence {
  readonly changes: readonly JournalEntry[];
  readonly artifacts: readonly JournalEntry[];
  readonly attestations: readonly JournalEntry[];
  readonly approvals: readonly JournalEntry[];
  /** Every record of evidence in the package has its entry. */
  readonly isComplete: boolean;
}

/** Evidence of another trail cannot stand in for that of this one. */
export function evidenceOf(
  { ledger, records, outcome }: Verifying,
  trail: TrailFacts,
  changes: readonly JournalEntry[],
): TrailEvidence {
  const { artifacts, attestations, approvals } = evidenceIn(ledger);
  const isOfTrail = (entry: JournalEntry) => entry.payload?.['trail'] === trail.name;
  for (const { id } of [...artifacts, ...attestations, ...approvals].filter((entry) => !isOfTrail(entry)))
    outcome.findings.add('ledger/entries.ndjson', `entry ${id} is about another trail`);
  const folders = ['artifacts', 'attestations', 'approvals'];
  return {
    changes,
    artifacts: artifacts.filter(isOfTrail),
    attestations: attestations.filter(isOfTrail),
    approvals: approvals.filter(isOfTrail),
    isComplete: folders.every((folder) => records.in(folder).every(({ path }) => outcome.proven.has(path))),
  };
}

/** A package about one artifact has the entries of its whole trail, and the records of what is about it. */
export function verifyHistory(verifying: Verifying, evidence: TrailEvidence): void {
  const { records, outcome } = verifying;
  const packaged = packagedOf(verifying, evidence);
  for (const { subjectId } of packaged.attestations) requireRecord(verifying, 'attestations', subjectId);
  for (const { subjectId } of packaged.artifacts) requireRecord(verifying, 'artifacts', subjectId);
  for (const { payload } of packaged.approvals) requireRecord(verifying, 'approvals', String(payload?.['number']));
  const pages = records.lists('events');
  const history = { ...packaged, trail: packaged.changes, named: evidence.artifacts };
  checkEvents(pages, history, evidence.isComplete, outcome.findings);
  if (!evidence.isComplete) outcome.unproven.set('records/events', 'records that it lists are not proven');
  else for (const { path } of pages) outcome.proven.add(path);
}

function requireRecord({ records, outcome }: Verifying, folder: string, id: string): void {
  const path = `records/${folder}/${id}.json`;
  if (!records.one(path)) outcome.findings.add(path, 'is missing: an entry in the package proves that it was recorded');
}

/** Returns the entries of which the package must have records. */
function packagedOf({ subject }: Verifying, evidence: TrailEvidence): Omit<TrailEvidence, 'isComplete'> {
  const { changes, artifacts, attestations, approvals } = evidence;
  if (subject.kind === 'attestation') {
    const own = attestations.filter(({ subjectId }) => subjectId === subject.attestationId);
    return { changes: [], artifacts: [], approvals: [], attestations: own };
  }
  if (subject.kind !== 'artifact' || subject.fingerprint === null) return evidence;
  const isAbout = aboutOf(subject.fingerprint, artifacts);
  return {
    changes,
    artifacts: artifacts.filter(isAbout),
    attestations: attestations.filter(isAbout),
    approvals: approvals.filter(isAbout),
  };
}

/** Evidence about an artifact, however it is named, and about the trail as a whole, which counts for it too. */
function aboutOf(fingerprint: string, artifacts: readonly JournalEntry[]): (entry: JournalEntry) => boolean {
  const own = artifacts.filter(({ payload }) => payload?.['fingerprint'] === fingerprint);
  return ({ payload }) => {
    const { fingerprint: about, target_artifact: target, commit } = payload ?? {};
    if (about !== undefined) return about === fingerprint;
    if (target === undefined) return true;
    return own.some((report) => report.payload?.['template_name'] === target && report.payload['commit'] === commit);
  };
}
