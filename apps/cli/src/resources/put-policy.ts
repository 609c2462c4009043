import { getPolicy, type Policy, putPolicy } from '@waymark/contract';
import type { Session } from '../run/session.ts';
import { unlessMissing } from './unless-missing.ts';
import type { Put } from './write.ts';

interface PolicyChange {
  readonly policy_yaml: string;
  readonly description?: string | null | undefined;
  readonly comment?: string | null | undefined;
}

/** The policy that has the name now; one that gave it up by being archived is another. */
export async function currentPolicy(session: Session, name: string): Promise<Policy | undefined> {
  const params = { org: session.need('org'), name };
  const found = await unlessMissing(session.client().call(getPolicy, { params, signal: session.io.signal }));
  return found?.archived ? undefined : found;
}

/** The answer is the policy, so that what became of it is told by what it was before. */
export async function sendPolicy(
  session: Session,
  name: string,
  change: PolicyChange,
  dryRun: boolean,
): Promise<{ put: Put; policy: Policy }> {
  const before = await currentPolicy(session, name);
  const { status, body } = await session.client().exchange(putPolicy, {
    params: { org: session.need('org'), name },
    body: change,
    dryRun,
    signal: session.io.signal,
  });
  const isSame = before?.versions.length === body.versions.length && before.description === body.description;
  return { put: status === 201 ? 'created' : isSame ? 'unchanged' : 'updated', policy: body };
}
