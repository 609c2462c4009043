import { useQueries } from '@tanstack/react-query';
import {
  type Environment,
  environmentTypes,
  listAllowListings,
  listDeliveries,
  listEnvironments,
  listServiceAccountKeys,
  listServiceAccounts,
  listUserKeys,
} from '@waymark/contract';
import { client } from '../../lib/client.ts';
import { useNow } from '../../lib/now.ts';
import { readKey, useRead } from '../../lib/queries.ts';
import { useMay } from '../../lib/session.ts';
import { expiringKeys, expiringListings, failingTargets } from './needs.ts';

/** So many of a kind are named; of the rest is told how many there are. */
export const NAMED = 5;
const ACCOUNTS_ASKED = 30;
const RECENT = 7 * 86_400;
/** A logical environment is what its members are, and they are listed. */
const PHYSICAL = environmentTypes.filter((type) => type !== 'logical');

function useEnvironments(org: string, query: { compliance?: 'non-compliant'; stale?: 'true' }) {
  const answer = useRead(listEnvironments, {
    params: { org },
    query: { ...query, type: PHYSICAL, page: 1, per_page: NAMED },
  });
  const { data } = answer;
  const page =
    data &&
    (Array.isArray(data) ? { rows: data, total: data.length } : { rows: data.environments, total: data.total_count });
  return { ...answer, page };
}

/** Keys of service accounts, as far as the caller may see them. */
function useAccountKeys(org: string) {
  const may = useMay('manage_service_accounts');
  const accounts = useRead(listServiceAccounts, { params: { org } }, { enabled: may });
  const asked = (accounts.data ?? []).slice(0, ACCOUNTS_ASKED);
  const keys = useQueries({
    queries: asked.map(({ name }) => {
      const input = { params: { org, name } };
      return {
        queryKey: readKey(listServiceAccountKeys, input),
        queryFn: ({ signal }: { signal: AbortSignal }) => client.call(listServiceAccountKeys, { ...input, signal }),
        placeholderData: undefined,
      };
    }),
    combine: (answers) => answers.map(({ data }) => data ?? []),
  });
  return {
    keys: keys.flatMap((of, place) => of.map((key) => ({ ...key, account: asked[place]?.name ?? '' }))),
    unasked: (accounts.data?.length ?? 0) - asked.length,
  };
}

/** The hour, so that the same question is asked for a while. */
function recently(now: number): number {
  return Math.floor((now - RECENT) / 3_600) * 3_600;
}

/** Everything that somebody should do something about. */
export function useNeeds(org: string) {
  const now = useNow();
  const failing = useEnvironments(org, { compliance: 'non-compliant' });
  const silent = useEnvironments(org, { stale: 'true' });
  const failed = useRead(listDeliveries, {
    params: { org },
    query: { state: 'failed', per_page: 50, from_timestamp: recently(now) },
  });
  const waiting = useRead(listDeliveries, { params: { org }, query: { state: 'waiting', per_page: 50 } });
  const listings = useRead(listAllowListings, { params: { org } });
  const ownKeys = useRead(listUserKeys, {});
  const accounts = useAccountKeys(org);
  const answers = [failing, silent, failed, waiting, listings, ownKeys];
  const known = new Set(failing.page?.rows.map(({ name }) => name));
  const onlySilent: readonly Environment[] = (silent.page?.rows ?? []).filter(({ name }) => !known.has(name));
  return {
    isPending: answers.some(({ isPending }) => isPending),
    error: answers.find(({ error }) => error !== null)?.error ?? null,
    refetch: () => {
      for (const { refetch } of answers) void refetch();
    },
    loadedAt: failing.dataUpdatedAt,
    failing: { rows: failing.page?.rows ?? [], total: failing.page?.total ?? 0 },
    silent: {
      rows: onlySilent,
      total: (silent.page?.total ?? 0) - ((silent.page?.rows.length ?? 0) - onlySilent.length),
    },
    targets: failingTargets([...(failed.data ?? []), ...(waiting.data ?? [])]),
    listings: expiringListings(listings.data ?? [], now),
    ownKeys: expiringKeys(ownKeys.data ?? [], now),
    accountKeys: expiringKeys(accounts.keys, now),
    unaskedAccounts: accounts.unasked,
  };
}

export type Needs = ReturnType<typeof useNeeds>;
