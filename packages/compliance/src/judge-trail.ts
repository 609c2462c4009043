import { indexArtifacts } from './artifact-index.ts';
import { explainTrail } from './explain-trail.ts';
import { fillSlots, newestOfEach } from './fill-slots.ts';
import { judgeArtifact } from './judge-artifact.ts';
import { judgeLevel } from './judge-level.ts';
import { judgeUnplaced } from './judge-unplaced.ts';
import type { Judgement, SlotStatus } from './judgement.ts';
import { type FilledSubject, lineUp } from './line-up.ts';
import { inOrderOfReceipt, type Report, toReports } from './report.ts';
import { findStrays } from './strays.ts';
import { TRAIL_KEY, targetKeysOf } from './target-key.ts';
import type { Artifact, Trail } from './trail.ts';
import { findUnplaced, type UnplacedReport } from './unplaced.ts';

/** A pure function of the trail: the order of the arrays does not matter, that of receipt does. */
export function judgeTrail(trail: Trail): Judgement {
  const { template } = trail;
  const reports = toReports(trail.attestations);
  const artifacts = inOrderOfReceipt(trail.artifacts);
  const index = indexArtifacts(template, artifacts);
  const byTarget = Map.groupBy(reports, ({ targetKey }) => targetKey);
  const unplaced = findUnplaced(reports, index);
  const displaced = Map.groupBy(
    unplaced.map(({ report }) => report),
    ({ attestation: { target } }) => (target.kind === 'named' ? target.artifact : null),
  );

  const ofTrail = byTarget.get(TRAIL_KEY) ?? [];
  const slots = fillSlots(template.attestations, ofTrail);
  const subjects = lineUp(template, artifacts).map((subject): FilledSubject => {
    const bound = boundTo(subject.artifact, byTarget);
    return { ...subject, slots: fillSlots(subject.required, bound), evidence: idsOf(bound) };
  });
  const strays = findStrays(slots, subjects);
  const level = judgeLevel({
    id: 'trail',
    artifact: null,
    slots,
    displaced: [],
    strayOf: (name) => strays.onArtifacts.get(name),
  });
  const judgedUnplaced = judgeUnplaced(unplaced, index);
  const around = {
    index,
    displaced: (name: string) => displaced.get(name) ?? [],
    strays,
    trailProblems: level.explanations.filter(({ status }) => status !== 'COMPLIANT'),
  };
  const judgedArtifacts = subjects.map((subject) => judgeArtifact(subject, around));
  const deciding = judgedArtifacts.filter(({ superseded }) => !superseded);
  const { status, explanation } = explainTrail(
    trail,
    [...level.explanations, ...deciding.map((it) => it.explanation), ...judgedUnplaced.explanations],
    countOverridden([...level.statuses, ...deciding.flatMap(({ attestations }) => attestations)], unplaced),
  );
  return {
    status,
    isCompliant: status === 'COMPLIANT',
    attestations: level.statuses,
    evidence: idsOf(ofTrail),
    artifacts: judgedArtifacts,
    unplaced: judgedUnplaced.entries,
    explanation,
  };
}

/** A report may name an artifact by fingerprint and by name at once. */
function boundTo(artifact: Artifact | null, byTarget: ReadonlyMap<string, readonly Report[]>): readonly Report[] {
  if (artifact === null) return [];
  const reports = targetKeysOf(artifact).flatMap((key) => byTarget.get(key) ?? []);
  return reports.sort((a, b) => a.attestation.receipt - b.attestation.receipt);
}

function idsOf(reports: readonly Report[]): string[] {
  return newestOfEach(reports).map((report) => report.attestation.id);
}

/** One report may be about several artifacts. */
function countOverridden(slots: readonly SlotStatus[], unplaced: readonly UnplacedReport[]): number {
  const overriding = new Set([
    ...slots.flatMap((slot) => (slot.overriddenAttestationId === null ? [] : [slot.attestationId])),
    ...unplaced.flatMap(({ report }) => (report.originalId === null ? [] : [report.attestation.id])),
  ]);
  return overriding.size;
}
