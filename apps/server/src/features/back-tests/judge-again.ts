import {
  type ArtifactEvidence,
  contextKey,
  createJudgingMemory,
  type DecisionContext,
  decideInSlices,
  type Policy,
  type PolicyIdentity,
} from '@waymark/policy';
import type { Ctx } from '../../platform/ctx.ts';
import { inSlices } from '../../platform/slices.ts';
import { requireStored } from '../../platform/stored-json.ts';
import { readProvenance } from '../provenance/provenance.reads.ts';
import { readEvidence } from '../runtime-verdicts/evidence.reads.ts';
import { listStates } from './back-test.store.ts';

/** A policy that may never have judged anything. */
export interface TriedPolicy {
  readonly policy: Policy;
  readonly identity: PolicyIdentity;
  /** The policy whose decisions it replaces, if any. */
  readonly policyId: string | null;
}

export interface ToJudge {
  readonly fingerprint: string;
  /** Null when nothing was judged then: current evidence is used. */
  readonly evidenceId: string | null;
  readonly context: DecisionContext;
}

/** The reasons why the artifact is not compliant, a JSON array as text; null when it is compliant. */
export type BackTestOutcome = string | null;

/** Bounds memory: the evidence of one artifact can be large. */
const BATCH_SIZE = 200;
/** In characters of reasons. */
const MAX_CACHED_LENGTH = 16 * 1024 * 1024;
const MAX_CACHED_OUTCOMES = 200_000;

/** Judges by a policy. The same evidence in the same context is judged once, however many environments it ran in. */
export function createJudge(
  { policy, identity }: TriedPolicy,
  stopped?: AbortSignal,
): (ctx: Ctx, asked: ToJudge[]) => Promise<BackTestOutcome[]> {
  const known = new Map<string, BackTestOutcome>();
  const memory = createJudgingMemory();
  let cachedLength = 0;
  const keyOf = ({ fingerprint, evidenceId, context }: ToJudge) =>
    `${evidenceId ?? `now ${fingerprint}`} ${contextKey(policy, context)}`;
  function* judgeEach(
    part: readonly (readonly [string, ToJudge])[],
    evidenceFor: (one: ToJudge) => ArtifactEvidence,
  ): Generator<void, void> {
    for (const [key, one] of part) {
      const { status, reasons } = yield* decideInSlices(policy, identity, evidenceFor(one), one.context, memory);
      const outcome = status === 'COMPLIANT' ? null : JSON.stringify(reasons);
      known.set(key, outcome);
      cachedLength += outcome?.length ?? 0;
    }
  }

  return async (ctx, asked) => {
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
      await inSlices(ctx, judgeEach(part, evidenceFor), stopped);
    }
    return keys.map((key) => known.get(key) ?? null);
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
