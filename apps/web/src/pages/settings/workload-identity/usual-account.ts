import { allows, type ServiceAccount } from '@waymark/contract';

type Account = Pick<ServiceAccount, 'name' | 'privilege'>;

export function canRecordEvidence({ privilege }: Account): boolean {
  return allows(privilege, 'record_evidence');
}

/** The first account that may do what jobs usually do; the first of all if none may. */
export function usualAccount<A extends Account>(accounts: readonly A[]): A | undefined {
  return accounts.find(canRecordEvidence) ?? accounts[0];
}
