export const DAMAGED_DECISION = 'The stored decision cannot be read.';

const FIX = 'Ask an operator to restore the row named in the server log.';

/** Shown for a decision whose row is damaged: nothing in it counts, so it is not compliant. */
export function damagedDecision(policyName: string, policyVersion: number) {
  const named = { policy_name: policyName, policy_version: policyVersion };
  const reason = {
    ...named,
    rule: { type: 'unreadable', definition: {} },
    resolution: 'unreadable',
    ...{ flow_name: null, trail_name: null, attestation_name: null },
    message: `Policy '${policyName}' (version ${policyVersion}): ${DAMAGED_DECISION}`,
    fix: FIX,
  };
  return {
    shown: { ...named, status: 'NON-COMPLIANT', rule_evaluations: [], unreadable: true },
    reasons: [reason],
  };
}
