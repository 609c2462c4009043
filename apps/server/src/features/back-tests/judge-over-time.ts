import {
  type ArtifactEvidence,
  type AttestationEvidence,
  contextKey,
  decideInSlices,
  type FlowEvidence,
  instantOf,
  type JudgingMemory,
  nextInstant,
  type Readings,
} from '@waymark/policy';
import type { Ctx } from '../../platform/ctx.ts';
import { fromEpochSeconds } from '../../platform/time.ts';
import { readAttestations } from '../runtime-verdicts/evidence.reads.ts';
import { listLater } from './back-test.store.ts';
import type { BackTestOutcome, OutcomeSince, ToJudge, TriedPolicy } from './back-test-outcome.ts';

/** Outcomes on one artifact; more changes than anyone reads are left out. */
const MOMENTS_MAX = 400;

/** Evidence that was reported again under the same name, oldest first, by the id of what it replaced. */
export type LaterEvidence = ReadonlyMap<string, readonly AttestationEvidence[]>;

/**
 * Recorded evidence is that of the first verdict with this result. What was reported again since changed no verdict,
 * but does matter to a policy that asks how old evidence is.
 */
export async function readLater(
  ctx: Ctx,
  evidence: readonly ArtifactEvidence[],
  until: number,
): Promise<LaterEvidence> {
  const ids = new Set(evidence.flatMap((one) => flowsOf(one).flatMap((flow) => flow.attestations.map(({ id }) => id))));
  if (ids.size === 0) return new Map();
  const rows = await listLater(ctx.db, { org_id: ctx.org, ids: [...ids], until: fromEpochSeconds(until) });
  const read = await readAttestations(
    ctx,
    rows.map(({ id }) => id),
  );
  const found = rows.flatMap(({ id, replaced_id }) => {
    const attestation = read.get(id);
    return attestation ? [{ replaced_id, attestation }] : [];
  });
  return new Map(
    Array.from(
      Map.groupBy(found, ({ replaced_id }) => replaced_id),
      ([id, list]) => [id, list.map(({ attestation }) => attestation)],
    ),
  );
}

interface StateOverTime {
  readonly evidence: ArtifactEvidence;
  readonly key: string;
  readonly later: LaterEvidence;
  readonly readings: Readings;
}

/** Judges by a policy that depends on the time: at the beginning, and whenever the outcome may be another. */
export function* judgeOverTime(
  { policy, identity }: TriedPolicy,
  { context, during: { from, until } }: ToJudge,
  { evidence, key, later, readings }: StateOverTime,
  memory: JudgingMemory,
  known: Map<string, BackTestOutcome>,
): Generator<void, OutcomeSince[]> {
  const arrivals = arrivalsOf(evidence, later);
  const outcomes: OutcomeSince[] = [];
  let since = from;
  while (outcomes.length < MOMENTS_MAX) {
    const then = evidenceAt(evidence, later, since);
    const at = instantOf(policy, then, since, readings) ?? 0;
    const arrived = arrivals.findLast((arrival) => arrival <= since) ?? 0;
    const name = `${key} ${arrived} ${contextKey(policy, { ...context, at })}`;
    let outcome = known.get(name);
    if (outcome === undefined) {
      const { status, reasons } = yield* decideInSlices(policy, identity, then, { ...context, at, readings }, memory);
      outcome = status === 'COMPLIANT' ? null : JSON.stringify(reasons);
      known.set(name, outcome);
    }
    outcomes.push({ since, outcome });
    const now = since;
    const next = Math.min(
      nextInstant(policy, then, now, readings) ?? Number.POSITIVE_INFINITY,
      arrivals.find((arrival) => arrival > now) ?? Number.POSITIVE_INFINITY,
    );
    if (next >= until) break;
    since = next;
  }
  return outcomes;
}

function arrivalsOf(evidence: ArtifactEvidence, later: LaterEvidence): number[] {
  if (later.size === 0) return [];
  const times = flowsOf(evidence).flatMap(({ attestations }) =>
    attestations.flatMap(({ id }) => later.get(id) ?? []).map(({ at }) => at),
  );
  return [...new Set(times)].sort((one, other) => one - other);
}

/** Everything that may be judged at some time. */
export function withAllLater(evidence: ArtifactEvidence, later: LaterEvidence): ArtifactEvidence {
  if (later.size === 0) return evidence;
  return withAttestations(evidence, (one) => [one, ...(later.get(one.id) ?? [])]);
}

function evidenceAt(evidence: ArtifactEvidence, later: LaterEvidence, at: number): ArtifactEvidence {
  if (later.size === 0) return evidence;
  return withAttestations(evidence, (one) => [later.get(one.id)?.findLast((it) => it.at <= at) ?? one]);
}

function withAttestations(
  evidence: ArtifactEvidence,
  insteadOf: (one: AttestationEvidence) => readonly AttestationEvidence[],
): ArtifactEvidence {
  const inFlow = (flow: FlowEvidence): FlowEvidence => ({
    ...flow,
    attestations: flow.attestations.flatMap(insteadOf),
  });
  const { platforms } = evidence;
  return {
    ...evidence,
    flows: evidence.flows.map(inFlow),
    ...(platforms && { platforms: platforms.map((part) => ({ ...part, flows: part.flows.map(inFlow) })) }),
  };
}

function flowsOf({ flows, platforms = [] }: ArtifactEvidence): FlowEvidence[] {
  return [...flows, ...platforms.flatMap((part) => part.flows)];
}
