import type { Snapshot } from '@waymark/contract';

/** Without the texts of reasons, the results of rules and the texts of policies. */
export function snapshotInBrief({ applied_policies, artifacts, ...snapshot }: Snapshot): object {
  return {
    ...snapshot,
    applied_policies: applied_policies.map(({ id: _, policy_dump, ...policy }) => policy),
    artifacts: artifacts.map(artifactInBrief),
  };
}

function artifactInBrief(artifact: Snapshot['artifacts'][number]): object {
  return {
    ...artifact,
    flows: artifact.flows.map((flow) => ({
      ...flow,
      flow_reasons_for_non_compliance: flow.flow_reasons_for_non_compliance.map(
        ({ message: _, fix, ...reason }) => reason,
      ),
    })),
    policy_decisions: artifact.policy_decisions.map(({ rule_evaluations: _, ...decision }) => decision),
    reasons_for_incompliance: [...new Set(artifact.reasons_for_incompliance.map((reason) => reason.policy_name))],
    allow_listing: artifact.allow_listing?.description ?? null,
  };
}
