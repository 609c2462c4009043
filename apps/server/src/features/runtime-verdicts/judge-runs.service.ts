import { type ArtifactEvidence, type Readings, readingsFor } from '@waymark/policy';
import type { Ctx } from '../../platform/ctx.ts';
import type { RunCompliance } from '../../platform/db/tables.ts';
import { inSlices } from '../../platform/slices.ts';
import { epochSeconds } from '../../platform/time.ts';
import type { Provenance } from '../provenance/provenance.reads.ts';
import { withReadings } from '../readings/reading.reads.ts';
import { readActiveWaivers, waiverKey } from './active-waiver.reads.ts';
import type { Applied } from './applied.reads.ts';
import { readEvidence } from './evidence.reads.ts';
import {
  createJudging,
  type Decision,
  type Judging,
  type KnownEvidence,
  known,
  unknownArtifact,
} from './judge.service.ts';

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
  /** Seconds: the time that is judged, unless it is now. Waivers are those of now. */
  readonly now?: number | undefined;
}

/** The verdict on an artifact in an environment. */
export interface RunVerdict {
  readonly compliance: RunCompliance;
  readonly evidence: KnownEvidence | null;
  /** One per policy, in the same order. */
  readonly decisions: readonly Decision[];
  /** The waiver that lets it pass. */
  readonly waiverId: string | null;
  /** In seconds: when a decision may become another because time passes. Null when time changes nothing. */
  readonly turnsAt: number | null;
}

const UNJUDGED: RunVerdict = { compliance: 'unknown', evidence: null, decisions: [], waiverId: null, turnsAt: null };

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
  const judging = createJudging();
  const now = epochSeconds(ctx.now());
  const neededBy = ({ applied, fingerprint }: RunToJudge) => {
    const evidence = evidenceOf.get(fingerprint)?.evidence;
    return evidence ? applied.policies.flatMap(({ policy }) => readingsFor(policy, evidence)) : [];
  };
  return withReadings(ctx, runs, neededBy, (some, readings) => {
    return inSlices(ctx, judgeEach(judging, some, { evidenceOf, waivers, now, readings }));
  });
}

interface JudgedBy {
  readonly evidenceOf: ReadonlyMap<string, KnownEvidence>;
  readonly waivers: Awaited<ReturnType<typeof readActiveWaivers>>;
  readonly now: number;
  readonly readings: Readings;
}

function* judgeEach(
  judging: Judging,
  runs: readonly RunToJudge[],
  { evidenceOf, waivers, now, readings }: JudgedBy,
): Generator<void, RunVerdict[]> {
  const verdicts: RunVerdict[] = [];
  for (const { applied, environment, name, fingerprint, now: at = now } of runs) {
    const evidence = evidenceOf.get(fingerprint);
    if (applied.set === null || !evidence) {
      verdicts.push(UNJUDGED);
      continue;
    }
    const where = { artifactName: name, environment, now: at, readings };
    const decisions = yield* judging.judge(applied.policies, evidence, where);
    const turnsAt = earliestOf(decisions);
    if (decisions.every(({ status }) => status === 'COMPLIANT')) {
      verdicts.push({ compliance: 'compliant', evidence, decisions, waiverId: null, turnsAt });
      continue;
    }
    const waiverId = waivers.get(waiverKey(environment.id, fingerprint))?.id ?? null;
    const compliance = waiverId === null ? 'non-compliant' : 'waived';
    verdicts.push({ compliance, evidence, decisions, waiverId, turnsAt });
  }
  return verdicts;
}

function earliestOf(decisions: readonly Decision[]): number | null {
  const turns = decisions.flatMap(({ turnsAt }) => turnsAt ?? []);
  return turns.length === 0 ? null : Math.min(...turns);
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
