import type { ApiKey, WorkloadIdentity } from '@waymark/contract';

const counted = (count: number, one: string, more: string) => `${count} ${count === 1 ? one : more}`;

/** What stops working with a service account, as far as is known. */
export function whatStops(
  keys: readonly ApiKey[] | undefined,
  rules: readonly WorkloadIdentity[] | undefined,
): { readonly says: string; readonly lastUsedAt: number | null } {
  const ends = [
    keys ? counted(keys.length, 'key', 'keys') : 'All its keys',
    ...(rules && rules.length > 0 ? [counted(rules.length, 'workload identity rule', 'workload identity rules')] : []),
  ];
  const used = (keys ?? []).flatMap(({ last_used_at }) => last_used_at ?? []);
  const isOne = ends.length === 1 && keys?.length === 1;
  return {
    says: `${ends.join(' and ')} ${isOne ? 'stops' : 'stop'} working at once. This cannot be undone.`,
    lastUsedAt: used.length === 0 ? null : Math.max(...used),
  };
}
