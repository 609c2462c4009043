import type { ArtifactEvidence, FlowEvidence } from '@waymark/policy';
import type { Ctx } from '../../platform/ctx.ts';
import { inSlices } from '../../platform/slices.ts';
import type { PolicySet } from './applied.reads.ts';
import { insertDecisions, insertSets, insertStates } from './decision.store.ts';
import type { Decision, KnownEvidence } from './judge.service.ts';

export interface NewDecisions {
  readonly sets: readonly PolicySet[];
  readonly states: readonly KnownEvidence[];
  readonly decisions: readonly Decision[];
}

/** Rows that exist are left alone: ids are derived from the content. */
export async function storeDecisions(ctx: Ctx, { sets, states, decisions }: NewDecisions): Promise<void> {
  const org_id = ctx.org;
  const newSets = distinct(sets);
  if (newSets.length > 0) {
    await insertSets(ctx.db, { org_id, ids: idsOf(newSets), contents: newSets.map((set) => set.content) });
  }
  const newStates = distinct(states);
  if (newStates.length > 0) {
    await insertStates(ctx.db, {
      ...{ org_id, ids: idsOf(newStates) },
      contents: newStates.map((state) => state.content),
      statuses_by_flow: await inSlices(
        ctx,
        textOfEach(newStates, ({ evidence }) => JSON.stringify(worstLast(evidence).map(statusIn))),
      ),
    });
  }
  const newDecisions = distinct(decisions);
  for (let from = 0; from < newDecisions.length; from += BATCH_SIZE)
    await insert(ctx, newDecisions.slice(from, from + BATCH_SIZE));
}

/** An environment may have thousands of artifacts and dozens of policies. */
const BATCH_SIZE = 2_000;

async function insert(ctx: Ctx, decisions: readonly Decision[]): Promise<void> {
  await insertDecisions(ctx.db, {
    ...{ org_id: ctx.org, ids: idsOf(decisions), created_at: ctx.now() },
    policies: decisions.map((decision) => decision.policyId),
    versions: decisions.map((decision) => decision.policyVersion),
    states: decisions.map((decision) => decision.evidenceId),
    contexts: decisions.map((decision) => decision.context),
    engines: decisions.map((decision) => decision.engine),
    statuses: decisions.map((decision) => decision.status),
    shown: await inSlices(ctx, textOfEach(decisions, shownOf)),
    reasons: await inSlices(
      ctx,
      textOfEach(decisions, ({ judged }) => JSON.stringify(judged.reasons)),
    ),
  });
}

function* textOfEach<Item>(items: readonly Item[], textOf: (item: Item) => string): Generator<void, string[]> {
  const texts: string[] = [];
  for (const item of items) {
    texts.push(textOf(item));
    yield;
  }
  return texts;
}

/** An element of `policy_decisions`. The name of a policy never changes. */
export function shownOf({
  policyName,
  policyVersion,
  judged,
}: Pick<Decision, 'policyName' | 'policyVersion' | 'judged'>): string {
  return JSON.stringify({
    policy_name: policyName,
    policy_version: policyVersion,
    status: judged.status,
    rule_evaluations: judged.ruleEvaluations,
  });
}

const COMPLIANCE = { COMPLIANT: 'compliant', 'NON-COMPLIANT': 'non-compliant', INCOMPLETE: 'non-compliant' } as const;

const BEST_TO_WORST: readonly FlowEvidence['status'][] = ['COMPLIANT', 'INCOMPLETE', 'NON-COMPLIANT'];

/** A flow may have several reports of an image: of itself, of its index, of its platforms. The last one is shown. */
function worstLast({ flows, platforms = [] }: ArtifactEvidence): FlowEvidence[] {
  const all = [...flows, ...platforms.flatMap((platform) => platform.flows)];
  return all.sort((a, b) => BEST_TO_WORST.indexOf(a.status) - BEST_TO_WORST.indexOf(b.status));
}

/**
 * Returns the flow, and members of its element in `flows` of a snapshot. Not the report: a newer one that only repeats
 * another is judged, while the other is still shown.
 */
function statusIn({ status, because, fix, flow, trail }: FlowEvidence): [string, string] {
  const reasons =
    status === 'COMPLIANT' ? [] : [{ flow_name: flow.name, trail_name: trail.name, status, message: because, fix }];
  const members = {
    artifact_compliance_in_flow: status === 'COMPLIANT',
    compliance: COMPLIANCE[status],
    flow_reasons_for_non_compliance: reasons,
  };
  return [flow.id, JSON.stringify(members).slice(1, -1)];
}

function distinct<T extends { readonly id: string }>(items: readonly T[]): T[] {
  const byId = new Map(items.map((item) => [item.id, item]));
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function idsOf(items: readonly { readonly id: string }[]): string[] {
  return items.map((item) => item.id);
}
