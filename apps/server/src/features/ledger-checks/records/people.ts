import canonicalize from 'canonicalize';
import { shown } from '../difference.ts';
import type { ReadableEntry, RecordKind } from './record-kind.ts';
import type { Columns } from './recorded-rows.ts';

interface Member {
  readonly login: string;
  readonly source: string;
  readonly role?: string;
  readonly previous_role?: string;
  readonly user_name?: string;
  readonly changed_by?: string;
}

const CHANGES: Readonly<Record<string, string>> = {
  'membership.added': 'added',
  'membership.changed': 'changed',
  'membership.removed': 'removed',
};

export const memberships: RecordKind = {
  kind: 'membership',
  tables: [
    { table: 'membership', of: 'user_id', key: ['user_id'] },
    { table: 'membership_event', of: 'user_id', key: ['user_id', 'revision'] },
  ],
  fold(entry, rows) {
    const event_type = CHANGES[entry.type];
    if (event_type === undefined) return;
    const { login, source, role, previous_role, user_name, changed_by } = entry.payload as unknown as Member;
    rows.put(entry, 'membership', entry.subject, {
      role: role ?? previous_role ?? '',
      revision: entry.subjectSeq,
      removed_at: role === undefined ? entry.at : null,
      ...(entry.subjectSeq === 1 && { created_at: entry.at }),
    });
    rows.put(entry, 'membership_event', `${entry.subject} ${entry.subjectSeq}`, {
      ...{ login, source, event_type, role: role ?? '', previous_role: previous_role ?? '', created_at: entry.at },
      ...(user_name !== undefined && { user_name }),
      ...(changed_by !== undefined && { changed_by }),
    });
  },
};

interface Account {
  readonly name: string;
  readonly privilege?: string;
  readonly description?: string;
  readonly display_name?: string | null;
}

export const serviceAccounts: RecordKind = {
  kind: 'service_account',
  tables: [{ table: 'service_account', of: 'id', key: ['id'] }],
  fold(entry, rows) {
    const put = (columns: Columns) =>
      rows.put(entry, 'service_account', entry.subject, { ...columns, revision: entry.subjectSeq });
    const { name, privilege = '', description = '', display_name = null } = entry.payload as unknown as Account;
    switch (entry.type) {
      case 'service_account.created':
        return put({
          ...{ name, privilege, description, display_name, created_at: entry.at, created_by: entry.actorName },
          ...{ creating_user_id: entry.actorId, archived_at: null },
        });
      case 'service_account.updated':
        return put({ privilege, description, display_name });
      case 'service_account.deleted':
        return put({ archived_at: entry.at });
    }
  },
};

interface Identity {
  readonly name: string;
  readonly issuer: string;
  readonly claims: Record<string, string>;
  readonly scope: unknown;
}

export const workloadIdentities: RecordKind = {
  kind: 'workload_identity',
  tables: [{ table: 'workload_identity', of: 'id', key: ['id'] }],
  fold(entry, rows) {
    const put = (columns: Columns) =>
      rows.put(entry, 'workload_identity', entry.subject, { ...columns, revision: entry.subjectSeq });
    switch (entry.type) {
      case 'workload_identity.added':
        return put(added(entry));
      case 'workload_identity.suspended':
        return put({ suspended_at: entry.at });
      case 'workload_identity.restored':
        return put({ suspended_at: null });
      case 'workload_identity.removed':
        return put({ removed_at: entry.at });
    }
  },
};

function added({ payload, at, actorName }: ReadableEntry): Columns {
  const { name, issuer, claims } = payload as unknown as Identity;
  return {
    ...{ name, issuer, created_at: at, created_by: actorName, suspended_at: null, removed_at: null },
    claims: { fits: (actual) => canonicalize(actual) === canonicalize(claims), says: shown(claims) },
  };
}

interface Request {
  readonly operation: string;
  readonly subject: { readonly kind: string; readonly name: string };
  readonly request_sha256: string;
  readonly expires_at?: number;
  readonly reason?: string;
  readonly because?: 'time' | 'asker';
}

const ENDS: Readonly<Record<string, string>> = {
  'change_request.approved': 'approved',
  'change_request.refused': 'refused',
  'change_request.withdrawn': 'withdrawn',
  'change_request.expired': 'expired',
};

export const changeRequests: RecordKind = {
  kind: 'change_request',
  tables: [{ table: 'change_request', of: 'id', key: ['id'] }],
  fold(entry, rows) {
    const { operation, subject, request_sha256, reason, because } = entry.payload as unknown as Request;
    const put = (columns: Columns) => rows.put(entry, 'change_request', entry.subject, columns);
    if (entry.type === 'change_request.created') {
      put({
        ...{ operation, subject_kind: subject.kind, subject_name: subject.name, input_sha256: request_sha256 },
        ...{ actor_id: entry.actorId, actor_name: entry.actorName, asked_at: entry.at, state: 'pending' },
        ...{ ended_at: null, ended_by: null, ended_by_id: null, reason: null },
      });
    }
    const state = ENDS[entry.type];
    if (state === undefined) return;
    const isExpired = state === 'expired';
    put({
      ...{ state, ended_at: entry.at, input: '' },
      ended_by: isExpired ? null : entry.actorName,
      ended_by_id: isExpired ? null : entry.actorId,
      reason: reason ?? (because === 'asker' ? ASKER_GONE : null),
    });
  },
};

const ASKER_GONE = 'The requester left the org, or lost the role for this change';
