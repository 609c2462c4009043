import type { Ctx } from '../../platform/ctx.ts';
import { listingKey, readActiveListings } from '../allow-lists/active-listing.reads.ts';
import type { Origin } from '../snapshots/origin.reads.ts';
import type { Applied } from './applied.reads.ts';
import { readEvidence } from './evidence.reads.ts';
import { createJudging, type Decision, type KnownEvidence, known, unknownArtifact } from './judge.ts';

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

export type RunCompliance = 'compliant' | 'non-compliant' | 'unknown' | 'waived';

/** What is said of an artifact in an environment. */
export interface Verdict {
  readonly compliance: RunCompliance;
  readonly evidence: KnownEvidence | null;
  /** Of each policy, in their order. */
  readonly decisions: readonly Decision[];
  /** The allow-listing that lets it pass. */
  readonly listingId: string | null;
}

const UNJUDGED: Verdict = { compliance: 'unknown', evidence: null, decisions: [], listingId: null };

/** Each artifact in isolation. Where no policy is attached nothing is judged, and no evidence is read for it. */
export async function judgeRuns(
  ctx: Ctx,
  runs: readonly RunToJudge[],
  originsOf: ReadonlyMap<string, readonly Origin[]>,
): Promise<Verdict[]> {
  const judged = runs.filter(({ applied }) => applied.set !== null);
  if (judged.length === 0) return runs.map(() => UNJUDGED);
  const fingerprints = [...new Set(judged.map((run) => run.fingerprint))];
  const [evidenceOf, listings] = await Promise.all([
    readKnown(ctx, fingerprints, originsOf),
    readActiveListings(
      ctx.db,
      ctx.org,
      [...new Set(judged.map((run) => run.environment.id))],
      fingerprints.filter((fingerprint) => fingerprint !== ''),
      ctx.now(),
    ),
  ]);
  const judging = createJudging();
  return runs.map(({ applied, environment, name, fingerprint }) => {
    const evidence = evidenceOf.get(fingerprint);
    if (applied.set === null || !evidence) return UNJUDGED;
    const decisions = judging.judge(applied.policies, evidence, { artifactName: name, environment });
    if (decisions.every(({ status }) => status === 'COMPLIANT')) {
      return { compliance: 'compliant', evidence, decisions, listingId: null };
    }
    const listingId = listings.get(listingKey(environment.id, fingerprint))?.id ?? null;
    return { compliance: listingId === null ? 'non-compliant' : 'waived', evidence, decisions, listingId };
  });
}

async function readKnown(
  ctx: Ctx,
  fingerprints: readonly string[],
  originsOf: ReadonlyMap<string, readonly Origin[]>,
): Promise<Map<string, KnownEvidence>> {
  const reported = new Map(
    fingerprints.flatMap((fingerprint) => {
      const origins = originsOf.get(fingerprint);
      return origins ? [[fingerprint, origins] as const] : [];
    }),
  );
  const evidence = await readEvidence(ctx, reported);
  return new Map(
    fingerprints.map((fingerprint) => {
      const found = evidence.get(fingerprint);
      return [fingerprint, found ? known(found) : unknownArtifact(fingerprint)];
    }),
  );
}
