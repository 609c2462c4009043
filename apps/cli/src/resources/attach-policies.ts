import { attachPolicies, detachPolicies } from '@waymark/contract';
import type { Outcome } from '../run/outcome.ts';
import type { Session } from '../run/session.ts';
import { outcomeOf, writing } from './write.ts';

const CONTRACTS = { attach: attachPolicies, detach: detachPolicies } as const;

export async function selectPolicies(
  session: Session,
  how: 'attach' | 'detach',
  name: string,
  policies: readonly string[],
): Promise<Outcome> {
  await session.client().call(CONTRACTS[how], {
    params: { org: session.need('org'), env_name: name },
    body: { policy_names: [...policies] },
    ...writing(session),
  });
  const relation = `${policies.length === 1 ? 'is' : 'are'} ${how === 'attach' ? '' : 'no longer '}attached to`;
  return outcomeOf(session, { name, policies }, `${policies.join(', ')} ${relation} environment '${name}'`);
}
