import type { ArtifactIndex } from './artifact-index.ts';
import { needsNothing } from './explain-slot.ts';
import { counted, listed, shortCommit, shortFingerprint, typeInWords } from './in-words.ts';
import { judgeLevel } from './judge-level.ts';
import type { ArtifactStatus, Explanation, Found, SlotStatus } from './judgement.ts';
import type { FilledSubject, Subject } from './line-up.ts';
import { nearestName } from './nearest-name.ts';
import { fixOf, outcomeOf, problemsOf, sinceOf } from './problems.ts';
import type { Report } from './report.ts';
import type { Strays } from './strays.ts';
import type { Artifact } from './trail.ts';

export interface Surroundings {
  readonly index: ArtifactIndex;
  /** Reports about an artifact of that name, for a commit that is not in the trail. */
  readonly displaced: (name: string) => readonly Report[];
  readonly strays: Strays;
  /** Attestations of the trail itself that fail or are missing: no artifact of it is compliant then. */
  readonly trailProblems: readonly Explanation[];
}

/** The trail lists all of them, and may have thousands of artifacts. */
const TRAIL_PROBLEMS_SHOWN = 10;

export function judgeArtifact(subject: FilledSubject, around: Surroundings): ArtifactStatus {
  const { name, artifact, slots, evidence, unexpected, superseded } = subject;
  const displaced = superseded ? [] : around.displaced(name);
  const id = idOf(subject);
  const level = judgeLevel({ id, artifact: name, slots, displaced, strayOf: straysFor(subject, around.strays) });
  const frame: Frame = { id, kind: 'artifact', needs: needsOf(subject), children: level.explanations };
  const explanation =
    artifact === null
      ? explainMissing(frame, name, around)
      : explainReported(frame, subject, artifact, level.statuses, around.trailProblems);
  const { status } = explanation;
  return {
    name,
    artifactId: artifact?.id ?? null,
    fingerprint: artifact?.fingerprint ?? null,
    status,
    isCompliant: status === 'MISSING' ? null : status === 'COMPLIANT',
    unexpected,
    superseded,
    attestations: level.statuses,
    evidence,
    explanation,
  };
}

/** A report for another build is no hint for a superseded one: that build may be newer. */
function straysFor({ name, superseded }: Subject, { onTrail, onEarlierBuilds }: Strays) {
  const ofEarlierBuilds = superseded ? undefined : onEarlierBuilds.get(name);
  return (attestation: string) => ofEarlierBuilds?.get(attestation) ?? onTrail.get(attestation);
}

type Frame = Pick<Explanation, 'id' | 'kind' | 'needs' | 'children'>;

function explainReported(
  frame: Frame,
  { name, unexpected, superseded }: Subject,
  artifact: Artifact,
  statuses: readonly SlotStatus[],
  trailProblems: readonly Explanation[],
): Explanation {
  const { children } = frame;
  const outcome = outcomeOf([...children, ...trailProblems]);
  const compliant = `Artifact '${name}' (${shortFingerprint(artifact.fingerprint)}) is present, and ${praise(statuses)}.`;
  const remarks = [
    outcome.status === 'COMPLIANT' ? compliant : problemsOf(outcome),
    unexpected ? 'The template does not require this artifact.' : '',
    superseded ? `A newer report of '${name}' is in this trail, so this one does not count.` : '',
  ];
  return {
    ...frame,
    status: outcome.status,
    found: [foundArtifact(artifact), ...trailProblems.slice(0, TRAIL_PROBLEMS_SHOWN).flatMap(({ found }) => found)],
    because: remarks.filter((remark) => remark !== '').join(' '),
    fix: fixOf(outcome),
    since: sinceOf(outcome, [artifact.reportedAt, ...children.map(({ since }) => since)]),
  };
}

function explainMissing(frame: Frame, name: string, { index, displaced }: Surroundings): Explanation {
  return {
    ...frame,
    status: 'MISSING',
    found: [],
    because: `No artifact named '${name}' has been reported${insteadOf(name, index)}.${waitingFor(displaced(name))}`,
    fix: `Report an artifact with the template name '${name}'.`,
    since: null,
  };
}

/** A report that was perhaps meant for it. Names that the template requires are not guesses. */
function insteadOf(name: string, { names, expectedNames }: ArtifactIndex): string {
  if (names.has(name)) return '; a file of that name was, without a template name';
  const alike = nearestName(name, names.difference(expectedNames));
  return alike === undefined ? '' : `; '${alike}' was, which the template does not require`;
}

function waitingFor(reports: readonly Report[]): string {
  if (reports.length === 0) return '';
  const commits = new Set(
    reports.flatMap(({ attestation: { target } }) => (target.kind === 'named' ? [shortCommit(target.commit)] : [])),
  );
  const wait = `${counted(reports.length, 'attestation')} ${reports.length === 1 ? 'waits' : 'wait'} for it`;
  return ` ${wait}, of ${commits.size === 1 ? 'commit' : 'commits'} ${listed([...commits])}.`;
}

function needsOf({ name, required, unexpected }: Subject): string {
  if (unexpected) return needsNothing(`artifact '${name}'`);
  if (required.length === 0) return `An artifact named '${name}'.`;
  const attestations = listed(required.map((slot) => `'${slot.name}' of ${typeInWords(slot.type)}`));
  return `An artifact named '${name}', with ${attestations}.`;
}

function praise(statuses: readonly SlotStatus[]): string {
  if (statuses.length === 0) return 'nothing fails';
  const overridden = statuses.filter(({ overriddenAttestationId }) => overriddenAttestationId !== null).length;
  if (statuses.length === 1) return `its attestation is compliant${overridden === 0 ? '' : ' by an override'}`;
  return `all ${statuses.length} attestations are compliant${overridden === 0 ? '' : `, ${overridden} by an override`}`;
}

function foundArtifact({ id, reportedAt, templateName, filename }: Artifact): Found {
  return { kind: 'artifact', id, name: templateName ?? filename, type: null, isCompliant: null, at: reportedAt };
}

/** An artifact in a template slot has its name as its path; all others need a unique one. */
function idOf({ name, artifact, superseded }: Subject): string {
  if (artifact === null) return `trail/artifact:${name}`;
  if (superseded) return `trail/artifact:${name}@${artifact.id}`;
  return `trail/artifact:${artifact.templateName ?? `${name}@${artifact.fingerprint}`}`;
}
