import {
  type ArtifactEvidence,
  contextKey,
  createJudgingMemory,
  decideInSlices,
  type Readings,
  readingsFor,
} from '@waymark/policy';
import type { Ctx } from '../../platform/ctx.ts';
import { inSlices } from '../../platform/slices.ts';
import { requireStored } from '../../platform/stored-json.ts';
import { readProvenance } from '../provenance/provenance.reads.ts';
import { withReadings } from '../readings/reading.reads.ts';
import { readEvidence } from '../runtime-verdicts/evidence.reads.ts';
import { listStates } from './back-test.store.ts';
import type { BackTestOutcome, OutcomeSince, ToJudge, TriedPolicy } from './back-test-outcome.ts';
import { judgeOverTime, type LaterEvidence, readLater, withAllLater } from './judge-over-time.ts';

/** Bounds memory: the evidence of one artifact can be large. */
const BATCH_SIZE = 200;
/** In characters of reasons. */
const MAX_CACHED_LENGTH = 16 * 1024 * 1024;
const MAX_CACHED_OUTCOMES = 200_000;

/** Judges by a policy. The same evidence in the same context is judged once, however many environments it ran in. */
export function createJudge(
  tried: TriedPolicy,
  stopped?: AbortSignal,
): (ctx: Ctx, asked: ToJudge[]) => Promise<OutcomeSince[][]> {
  const { policy, identity } = tried;
  const known = new Map<string, BackTestOutcome>();
  const memory = createJudgingMemory();
  let cachedLength = 0;
  const keyOf = ({ fingerprint, evidenceId, context }: ToJudge) =>
    `${evidenceId ?? `now ${fingerprint}`} ${contextKey(policy, context)}`;
  function* judgeEach(
    part: readonly (readonly [string, ToJudge])[],
    evidenceFor: (one: ToJudge) => ArtifactEvidence,
    readings: Readings,
  ): Generator<void, never[]> {
    for (const [key, one] of part) {
      const context = { ...one.context, readings };
      const { status, reasons } = yield* decideInSlices(policy, identity, evidenceFor(one), context, memory);
      const outcome = status === 'COMPLIANT' ? null : JSON.stringify(reasons);
      known.set(key, outcome);
      cachedLength += outcome?.length ?? 0;
    }
    return [];
  }

  function* overTime(
    part: readonly ToJudge[],
    evidenceFor: (one: ToJudge) => ArtifactEvidence,
    later: LaterEvidence,
    readings: Readings,
  ): Generator<void, OutcomeSince[][]> {
    const found: OutcomeSince[][] = [];
    for (const one of part) {
      const state = { evidence: evidenceFor(one), key: one.evidenceId ?? `now ${one.fingerprint}`, later, readings };
      found.push(yield* judgeOverTime(tried, one, state, memory, known));
    }
    return found;
  }

  async function judgeTimed(ctx: Ctx, asked: readonly ToJudge[]): Promise<OutcomeSince[][]> {
    const found: OutcomeSince[][] = [];
    for (let i = 0; i < asked.length; i += BATCH_SIZE) {
      known.clear();
      const part = asked.slice(i, i + BATCH_SIZE);
      const evidenceFor = await readBoth(ctx, part);
      const recorded = part.filter(({ evidenceId, during }) => evidenceId !== null && during.from < during.until);
      const until = Math.max(0, ...recorded.map(({ during }) => during.until));
      const later = await readLater(ctx, recorded.map(evidenceFor), until);
      const neededBy = (one: ToJudge) => readingsFor(policy, withAllLater(evidenceFor(one), later));
      const outcomes = await withReadings(ctx, part, neededBy, (some, readings) => {
        return inSlices(ctx, overTime(some, evidenceFor, later, readings), stopped);
      });
      found.push(...outcomes);
    }
    return found;
  }

  return async (ctx, asked) => {
    if (policy.isTimed) return judgeTimed(ctx, asked);
    if (cachedLength > MAX_CACHED_LENGTH || known.size > MAX_CACHED_OUTCOMES) {
      known.clear();
      cachedLength = 0;
    }
    const keys = asked.map(keyOf);
    const unknown = new Map<string, ToJudge>();
    for (const [i, one] of asked.entries()) {
      const key = keys[i] ?? '';
      if (!known.has(key)) unknown.set(key, one);
    }
    const open = [...unknown];
    for (let i = 0; i < open.length; i += BATCH_SIZE) {
      const part = open.slice(i, i + BATCH_SIZE);
      const evidenceFor = await readBoth(
        ctx,
        part.map(([, one]) => one),
      );
      const neededBy = ([, one]: readonly [string, ToJudge]) => readingsFor(policy, evidenceFor(one));
      await withReadings(ctx, part, neededBy, (some, readings) => {
        return inSlices(ctx, judgeEach(some, evidenceFor, readings), stopped);
      });
    }
    return asked.map(({ during }, i) => [{ since: during.from, outcome: known.get(keys[i] ?? '') ?? null }]);
  };
}

async function readBoth(ctx: Ctx, asked: readonly ToJudge[]): Promise<(one: ToJudge) => ArtifactEvidence> {
  const ids = [...new Set(asked.flatMap(({ evidenceId }) => evidenceId ?? []))];
  const rows = ids.length === 0 ? [] : await listStates(ctx.db, { org_id: ctx.org, ids });
  const recorded = new Map(
    rows.map(({ id, content }) => [id, requireStored<ArtifactEvidence>('evidence_state', id, content)]),
  );
  const unjudged = asked.filter(({ evidenceId }) => evidenceId === null).map(({ fingerprint }) => fingerprint);
  const present = await readEvidence(ctx, await readProvenance(ctx.db, ctx.org, unjudged));
  return ({ evidenceId, fingerprint }) => {
    if (evidenceId === null) return present.get(fingerprint) ?? { fingerprint, flows: [] };
    const evidence = recorded.get(evidenceId);
    if (!evidence) throw new Error(`the evidence ${evidenceId} is missing`);
    return evidence;
  };
}
