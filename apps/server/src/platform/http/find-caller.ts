import type { ChangeControlMode, KeyScope, Role } from '@waymark/contract';
import { batch, watchBatch } from '../db/batch.ts';
import type { Db } from '../db/db.ts';
import { statement } from '../db/statement.ts';
import type { WatchQueue } from '../queue.metrics.ts';
import type { SentCredential } from './credential.ts';
import { sessionBounds } from './session-cookie.ts';
import type { FullStorageRow, StorageQuota } from './storage-quota.ts';

export interface CallerRow extends FullStorageRow {
  place: number;
  credential_id: string;
  actor_kind: 'user' | 'service_account';
  actor_id: string;
  actor_name: string;
  /** The personal org of a user, or the org of a service account. */
  home_org_id: string;
  /** The role there. */
  home_role: Role;
  only_org_id: string | null;
  purpose: 'api' | 'scim';
  workload: string | null;
  expires_at: Date | null;
  is_suspended: boolean;
  /** The person whom everything made with it counts for. */
  made_by: string | null;
  scope: KeyScope | null;
  used_at: Date | null;
  org_id: string | null;
  /** The person who created that org. */
  org_creator: string | null;
  role: Role | null;
  has_betas: boolean | null;
  change_control: ChangeControlMode | null;
  members_visible: boolean | null;
  sso_enforced: boolean | null;
}

interface QuotaParams extends Record<string, unknown> {
  readonly quota_bytes: number | null;
  readonly quota_rows: number | null;
}

/** Columns and a join that have values only for an org whose quota is used up. */
const FULL_COLUMNS = `storage.file_bytes + storage.content_bytes as full_bytes, storage.row_count as full_rows,
     coalesce(org.storage_quota_bytes, :quota_bytes::bigint) as quota_bytes,
     coalesce(org.storage_quota_rows, :quota_rows::bigint) as quota_rows`;
const FULL_JOIN = `left join org_storage as storage on storage.org_id = org.id and (
     storage.file_bytes + storage.content_bytes >= coalesce(org.storage_quota_bytes, :quota_bytes::bigint)
     or storage.row_count >= coalesce(org.storage_quota_rows, :quota_rows::bigint))`;

/**
 * The one read of every request: from the key to the caller and their role in the org of the path. Nothing is cached,
 * so a revocation takes effect with its commit. Requests that arrive together share one query, those with the same key
 * one item of it. The arrays are in subqueries so that one plan serves any number of them: planning each anew took 0.45
 * ms of 0.5 (2026-11).
 */
const findKeyCallers = statement<QuotaParams & { hashes: Buffer[]; org_names: string[]; now: Date }, CallerRow>(
  'find_callers',
  `select sent.place, key.id as credential_id,
     case when key.user_id is null then 'service_account' else 'user' end as actor_kind,
     coalesce(key.user_id, key.service_account_id) as actor_id,
     coalesce(person.login, account.name) as actor_name,
     coalesce(person.personal_org_id, key.org_id) as home_org_id, coalesce(account.privilege, 'admin') as home_role,
     key.only_org_id, key.purpose, key.workload, key.expires_at,
     key.suspended_at is not null as is_suspended,
     coalesce(key.user_id, key.made_by) as made_by, key.scope, key.last_used_at as used_at,
     org.id as org_id, org.creating_user_id as org_creator,
     coalesce(membership.role, case when account.org_id = org.id then account.privilege end) as role,
     org.experimental_features_enabled as has_betas, org.change_control, org.members_visible,
     org.sso_enforced_at is not null as sso_enforced, ${FULL_COLUMNS}
   from unnest((select :hashes::bytea[]), (select :org_names::text[])) with ordinality as sent (hash, org_name, place)
   join api_key as key on key.hash = sent.hash
   left join org on org.name = sent.org_name
   ${FULL_JOIN}
   left join user_account as person on person.id = key.user_id
   left join membership
     on membership.org_id = org.id and membership.user_id = key.user_id and membership.removed_at is null
   left join service_account as account
     on account.org_id = key.org_id and account.id = key.service_account_id and account.archived_at is null
   where key.revoked_at is null and (key.expires_at is null or key.expires_at > :now)
     and (person.id is not null or account.id is not null)`,
);

/** The same for people who have signed in. */
const findSessionCallers = statement<
  QuotaParams & { hashes: Buffer[]; org_names: string[]; seen_after: Date; begun_after: Date },
  CallerRow
>(
  'find_session_callers',
  `select sent.place, session.id as credential_id, 'user' as actor_kind, person.id as actor_id,
     person.login as actor_name, person.personal_org_id as home_org_id, 'admin' as home_role, session.only_org_id, 'api' as purpose,
     null as workload, null::timestamptz as expires_at, false as is_suspended, person.id as made_by,
     null::jsonb as scope, session.last_seen_at as used_at, org.id as org_id,
     org.creating_user_id as org_creator, membership.role,
     org.experimental_features_enabled as has_betas, org.change_control, org.members_visible,
     org.sso_enforced_at is not null as sso_enforced, ${FULL_COLUMNS}
   from unnest((select :hashes::bytea[]), (select :org_names::text[])) with ordinality as sent (hash, org_name, place)
   join session on session.hash = sent.hash
   join user_account as person on person.id = session.user_id
   left join org on org.name = sent.org_name
   ${FULL_JOIN}
   left join membership
     on membership.org_id = org.id and membership.user_id = session.user_id and membership.removed_at is null
   where session.revoked_at is null and session.last_seen_at > :seen_after and session.created_at > :begun_after`,
);

interface Lookup {
  readonly hash: Buffer;
  readonly orgName: string;
  readonly network: string;
}

/** `network` is where the request comes from: the sender is not known yet, and anyone can name an org. */
export type FindCaller = (
  credential: SentCredential,
  orgName: string,
  network: string,
) => Promise<CallerRow | undefined>;

/** Behind an untrusted proxy, all requests come from one network. */
const WAITING_PER_NETWORK = 4_096;

interface FindCallerParts {
  readonly db: Db;
  readonly now: () => Date;
  /** For orgs without a quota of their own. */
  readonly storageQuota: StorageQuota;
}

type FindRows = (hashes: Buffer[], orgNames: string[]) => Promise<CallerRow[]>;

/** Each row has the place of its credential, counted from 1. */
function findRowsWith({ db, now, storageQuota }: FindCallerParts): Record<SentCredential['kind'], FindRows> {
  const quota = { quota_bytes: storageQuota.bytes, quota_rows: storageQuota.rows };
  return {
    key: (hashes, org_names) => findKeyCallers(db, { ...quota, hashes, org_names, now: now() }),
    session(hashes, org_names) {
      const { seenAfter, begunAfter } = sessionBounds(now());
      return findSessionCallers(db, { ...quota, hashes, org_names, seen_after: seenAfter, begun_after: begunAfter });
    },
  };
}

export function createFindCaller(parts: FindCallerParts, watch: WatchQueue = () => undefined): FindCaller {
  const { key, session } = findRowsWith(parts);
  const byKey = batchLookups(key);
  const bySession = batchLookups(session);
  watchBatch(watch, 'callers_by_key', byKey);
  watchBatch(watch, 'callers_by_session', bySession);
  return ({ kind, hash }, orgName, network) => (kind === 'key' ? byKey : bySession).send({ hash, orgName, network });
}

export interface SentTo {
  readonly credential: SentCredential;
  readonly orgName: string;
}

/** Looks up any number of callers with one statement for keys and one for sessions. Returns one item for each. */
export type FindCallers = (sent: readonly SentTo[]) => Promise<(CallerRow | undefined)[]>;

export function createFindCallers(parts: FindCallerParts): FindCallers {
  const findRows = findRowsWith(parts);
  return async (sent) => {
    const found = new Map<SentTo, CallerRow>();
    for (const [kind, ofKind] of Map.groupBy(sent, ({ credential }) => credential.kind)) {
      const rows = await findRows[kind](
        ofKind.map(({ credential }) => credential.hash),
        ofKind.map(({ orgName }) => orgName),
      );
      for (const row of rows) {
        const one = ofKind[row.place - 1];
        if (one) found.set(one, row);
      }
    }
    return sent.map((one) => found.get(one));
  };
}

function batchLookups(find: FindRows) {
  return batch<Lookup, CallerRow | undefined>({
    async run(lookups) {
      // A pipeline often sends many requests with one key.
      const places = new Map<string, number>();
      const different: Lookup[] = [];
      const placeOf = lookups.map((one) => {
        const key = `${one.hash.toString('latin1')}${one.orgName}`;
        const place = places.get(key) ?? different.push(one);
        places.set(key, place);
        return place;
      });
      const rows = await find(
        different.map(({ hash }) => hash),
        different.map(({ orgName }) => orgName),
      );
      const found = new Map(rows.map((row) => [row.place, row]));
      return placeOf.map((place) => found.get(place));
    },
    shareOf: ({ network }) => network,
    waitingPerShare: WAITING_PER_NETWORK,
    refusal: 'Too many requests are waiting for access checks',
  });
}
