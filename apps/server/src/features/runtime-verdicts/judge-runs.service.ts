import type { ArtifactEvidence } from '@waymark/policy';
import type { Ctx } from '../../platform/ctx.ts';
import type { RunCompliance } from '../../platform/db/tables.ts';
import { inSlices } from '../../platform/slices.ts';
import type { Provenance } from '../provenance/provenance.reads.ts';
import { readActiveWaivers, waiverKey } from './active-waiver.reads.ts';
import type { Applied } from './applied.reads.ts';
import { readEvidence } from './evidence.reads.ts';
import { createJudging, type Decision, type KnownEvidence, known, unknownArtifact } from './judge.service.ts';

export interface JudgedEnvironment {
  readonly id: string;
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
}

export interface RunToJudge {
  readonly environment: JudgedEnvironment;
  readonly applied: Applied;
  readonly name: string;
  readonly fingerprint: string;
}

/** The verdict on an artifact in an environment. */
export interface RunVerdict {
  readonly compliance: RunCompliance;
  readonly evidence: KnownEvidence | null;
  /** One per policy, in the same order. */
  readonly decisions: readonly Decision[];
  /** The waiver that lets it pass. */
  readonly waiverId: string | null;
}

const UNJUDGED: RunVerdict = { compliance: 'unknown', evidence: null, decisions: [], waiverId: null };

/** Judges each artifact on its own. Without policies nothing is judged, and no evidence is read. */
export async function judgeRuns(
  ctx: Ctx,
  runs: readonly RunToJudge[],
  provenanceOf: ReadonlyMap<string, Provenance>,
): Promise<RunVerdict[]> {
  const judged = runs.filter(({ applied }) => applied.set !== null);
  if (judged.length === 0) return runs.map(() => UNJUDGED);
  const fingerprints = [...new Set(judged.map((run) => run.fingerprint))];
  const [evidenceOf, waivers] = await Promise.all([
    readKnown(ctx, fingerprints, provenanceOf),
    readActiveWaivers(
      ctx.db,
      ctx.org,
      [...new Set(judged.map((run) => run.environment.id))],
      fingerprints.filter((fingerprint) => fingerprint !== ''),
      ctx.now(),
    ),
  ]);
  return inSlices(ctx, judgeEach(runs, evidenceOf, waivers));
}

function* judgeEach(
  runs: readonly RunToJudge[],
  evidenceOf: ReadonlyMap<string, KnownEvidence>,
  waivers: Awaited<ReturnType<typeof readActiveWaivers>>,
): Generator<void, RunVerdict[]> {
  const judging = createJudging();
  const verdicts: RunVerdict[] = [];
  for (const { applied, environment, name, fingerprint } of runs) {
    const evidence = evidenceOf.get(fingerprint);
    if (applied.set === null || !evidence) {
      verdicts.push(UNJUDGED);
      continue;
    }
    const decisions = yield* judging.judge(applied.policies, evidence, { artifactName: name, environment });
    if (decisions.every(({ status }) => status === 'COMPLIANT')) {
      verdicts.push({ compliance: 'compliant', evidence, decisions, waiverId: null });
      continue;
    }
    const waiverId = waivers.get(waiverKey(environment.id, fingerprint))?.id ?? null;
    verdicts.push({ compliance: waiverId === null ? 'non-compliant' : 'waived', evidence, decisions, waiverId });
  }
  return verdicts;
}

async function readKnown(
  ctx: Ctx,
  fingerprints: readonly string[],
  provenanceOf: ReadonlyMap<string, Provenance>,
): Promise<Map<string, KnownEvidence>> {
  const reported = new Map(
    fingerprints.flatMap((fingerprint) => {
      const reports = provenanceOf.get(fingerprint);
      return reports ? [[fingerprint, reports] as const] : [];
    }),
  );
  return inSlices(ctx, knowEach(fingerprints, await readEvidence(ctx, reported)));
}

function* knowEach(
  fingerprints: readonly string[],
  evidence: ReadonlyMap<string, ArtifactEvidence>,
): Generator<void, Map<string, KnownEvidence>> {
  const knownOf = new Map<string, KnownEvidence>();
  for (const fingerprint of fingerprints) {
    const found = evidence.get(fingerprint);
    knownOf.set(fingerprint, found ? known(found) : unknownArtifact(fingerprint));
    yield;
  }
  return knownOf;
}
