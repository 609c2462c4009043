import { getPolicy, type Policy, putPolicy } from '@waymark/contract';
import type { Session } from '../run/session.ts';
import { unlessMissing } from './unless-missing.ts';
import type { Put } from './write.ts';

interface PolicyChange {
  readonly policy_yaml: string;
  readonly description?: string | null | undefined;
  readonly comment?: string | null | undefined;
}

/** Returns the policy that has the name now; an archived one of that name is another. */
export async function currentPolicy(session: Session, name: string): Promise<Policy | undefined> {
  const params = { org: session.need('org'), name };
  const found = await unlessMissing(session.client().call(getPolicy, { params, signal: session.io.signal }));
  return found?.archived ? undefined : found;
}

/** The response is the policy, so the outcome follows from its earlier state. */
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
