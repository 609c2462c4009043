import { indexArtifacts } from './artifact-index.ts';
import { explainTrail } from './explain-trail.ts';
import { judgeArtifact } from './judge-artifact.ts';
import { judgeLevel } from './judge-level.ts';
import { judgeUnplaced } from './judge-unplaced.ts';
import type { Judgement } from './judgement.ts';
import { lineUp } from './line-up.ts';
import { inOrderOfReceipt, type Report, toReports } from './report.ts';
import { TRAIL_KEY, targetKeysOf } from './target-key.ts';
import type { Artifact, Trail } from './trail.ts';
import { findUnplaced } from './unplaced.ts';

/** A pure function of what the trail holds: the order of the arrays does not matter, that of receipt does. */
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

  const level = judgeLevel({
    id: 'trail',
    artifact: null,
    required: template.attestations,
    reports: byTarget.get(TRAIL_KEY) ?? [],
    displaced: [],
  });
  const judgedUnplaced = judgeUnplaced(unplaced, index);
  const around = {
    index,
    bound: (artifact: Artifact) => boundTo(artifact, byTarget),
    displaced: (name: string) => displaced.get(name) ?? [],
    trailFailures: level.explanations.filter(({ status }) => status === 'NON-COMPLIANT'),
  };
  const judgedArtifacts = lineUp(template, artifacts).map((subject) => judgeArtifact(subject, around));
  const { status, explanation } = explainTrail(trail, [
    ...level.explanations,
    ...judgedArtifacts.filter(({ superseded }) => !superseded).map((it) => it.explanation),
    ...judgedUnplaced.explanations,
  ]);
  return {
    status,
    isCompliant: status === 'COMPLIANT',
    attestations: level.statuses,
    artifacts: judgedArtifacts,
    unplaced: judgedUnplaced.entries,
    explanation,
  };
}

/** An artifact may be meant by fingerprint and by name at once. */
function boundTo(artifact: Artifact, byTarget: ReadonlyMap<string, readonly Report[]>): readonly Report[] {
  const reports = targetKeysOf(artifact).flatMap((key) => byTarget.get(key) ?? []);
  return reports.sort((a, b) => a.attestation.receipt - b.attestation.receipt);
}
