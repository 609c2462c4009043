import {
  type Environment,
  getLedger,
  getStorage,
  listChangeRequests,
  listDeliveries,
  listDepartures,
  listEnvironments,
  listServiceAccountKeys,
  listServiceAccounts,
  listUserKeys,
  listWaivers,
  physicalTypes,
} from '@waymark/contract';
import { useNow } from '../../lib/now.ts';
import { useRead } from '../../lib/queries.ts';
import { useMay } from '../../lib/session.ts';
import { useReads } from '../../lib/use-reads.ts';
import { useLinkedPage } from '../deliveries/use-linked-page.ts';
import { expiringKeys, expiringWaivers, failingTargets, ledgerFault } from './needs.ts';

/** How many of a kind are listed; the rest is only counted. */
export const NAMED = 5;
const ACCOUNTS_ASKED = 30;
/** Of failed messages, and of pending ones. */
const DELIVERIES_ASKED = 50;
const RECENT = 7 * 86_400;

type Compliance = Environment['compliance'];

function useEnvironments(org: string, query: { compliance: Compliance | Compliance[]; stale?: 'true' }) {
  const answer = useRead(listEnvironments, {
    params: { org },
    query: { ...query, type: physicalTypes, page: 1, per_page: NAMED },
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
  // The keys are requested by account name, which must not be a name from the previous org.
  const accounts = useRead(listServiceAccounts, { params: { org } }, { enabled: may, fresh: true });
  const asked = (accounts.data ?? []).slice(0, ACCOUNTS_ASKED);
  const keys = useReads(
    listServiceAccountKeys,
    asked.map(({ name }) => ({ params: { org, name } })),
  );
  return {
    // Without permission to see the accounts, there are no keys to wait for.
    answers: may ? [accounts, keys] : [],
    keys: keys.answers.flatMap((found = [], place) =>
      found.map((key) => ({ ...key, account: asked[place]?.name ?? '' })),
    ),
    unasked: (accounts.data?.length ?? 0) - asked.length,
  };
}

/** To the hour, so that the query stays the same for a while. */
function recently(now: number): number {
  return Math.floor((now - RECENT) / 3_600) * 3_600;
}

/** Everything that needs attention. */
export function useNeeds(org: string) {
  const now = useNow();
  const failing = useEnvironments(org, { compliance: 'non-compliant' });
  // One that also fails is listed among the failing, with a mark that it is stale.
  const stale = useEnvironments(org, { compliance: ['compliant', 'unknown'], stale: 'true' });
  const failed = useLinkedPage(listDeliveries, {
    params: { org },
    query: { state: 'failed', test: 'false', per_page: DELIVERIES_ASKED, from_timestamp: recently(now) },
  });
  const waiting = useLinkedPage(listDeliveries, {
    params: { org },
    query: { state: 'waiting', test: 'false', per_page: DELIVERIES_ASKED },
  });
  const waivers = useRead(listWaivers, { params: { org } });
  const ownKeys = useRead(listUserKeys, {});
  const mayApprove = useMay('approve_changes');
  const changes = useRead(listChangeRequests, { params: { org }, query: {} }, { enabled: mayApprove });
  const accounts = useAccountKeys(org);
  const maySeeDepartures = useMay('manage_members');
  const departures = useRead(listDepartures, { params: { org } }, { enabled: maySeeDepartures });
  const storage = useRead(getStorage, { params: { org } });
  const ledger = useRead(getLedger, { params: { org } });
  const first = [failing, stale, failed, waiting, waivers, ownKeys, storage, ledger];
  const answers = [...first, ...accounts.answers, ...(maySeeDepartures ? [departures] : [])];
  const all = mayApprove ? [...answers, changes] : answers;
  return {
    isPending: first.some(({ isPending }) => isPending),
    /** These take many requests: everything else is shown meanwhile. */
    areKeysPending: accounts.answers.some(({ isPending }) => isPending),
    error: all.find(({ error }) => error !== null)?.error ?? null,
    refetch: () => {
      for (const { refetch } of all) void refetch();
    },
    loadedAt: failing.dataUpdatedAt,
    failing: { rows: failing.page?.rows ?? [], total: failing.page?.total ?? 0 },
    stale: { rows: stale.page?.rows ?? [], total: stale.page?.total ?? 0 },
    changes: (changes.data ?? []).filter(({ can_approve }) => can_approve),
    targets: failingTargets([...(failed.data?.rows ?? []), ...(waiting.data?.rows ?? [])]),
    hasMoreDeliveries: [failed, waiting].some(({ data }) => data !== undefined && data.next !== null),
    waivers: expiringWaivers(waivers.data ?? [], now),
    departures: departures.data ?? [],
    /** Undefined unless the quota is nearly or fully used. */
    storage: storage.data?.level === 'ok' ? undefined : storage.data,
    ledger: ledgerFault(ledger.data),
    ownKeys: expiringKeys(ownKeys.data ?? [], now),
    accountKeys: expiringKeys(accounts.keys, now),
    unaskedAccounts: accounts.unasked,
  };
}

export type Needs = ReturnType<typeof useNeeds>;
