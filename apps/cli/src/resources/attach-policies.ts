import {
  attachPolicies,
  attachReportOnlyPolicies,
  detachPolicies,
  detachReportOnlyPolicies,
  promotePolicies,
} from '@waymark/contract';
import type { Outcome } from '../run/outcome.ts';
import type { Session } from '../run/session.ts';
import { outcomeOf, writing } from './write.ts';

const CHANGES = {
  attach: { contract: attachPolicies, says: 'attached to' },
  detach: { contract: detachPolicies, says: 'no longer attached to' },
  attachReportOnly: { contract: attachReportOnlyPolicies, says: 'attached as report-only to' },
  detachReportOnly: { contract: detachReportOnlyPolicies, says: 'no longer report-only in' },
  promote: { contract: promotePolicies, says: 'enforced in' },
} as const;

export async function selectPolicies(
  session: Session,
  how: keyof typeof CHANGES,
  name: string,
  policies: readonly string[],
): Promise<Outcome> {
  const { contract, says } = CHANGES[how];
  await session.client().call(contract, {
    params: { org: session.need('org'), env_name: name },
    body: { policy_names: [...policies] },
    ...writing(session),
  });
  const are = policies.length === 1 ? 'is' : 'are';
  return outcomeOf(session, { name, policies }, `${policies.join(', ')} ${are} ${says} environment '${name}'`);
}
