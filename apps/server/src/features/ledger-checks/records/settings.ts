import { seconds } from './expected.ts';
import type { ReadableEntry, RecordKind } from './record-kind.ts';
import type { Columns, RecordedRows } from './recorded-rows.ts';

interface OrgChange {
  readonly name: string;
  readonly kind: string;
  readonly enabled: boolean;
  readonly fails_at: string;
  readonly mode: string;
  readonly hours: number;
  readonly bytes: number | null;
  readonly rows: number | null;
  readonly waiver_max_days: number | null;
  readonly reason_min_length: number;
}

/** The settings of an org, and how long it keeps its records. */
export const orgs: RecordKind = {
  kind: 'org',
  tables: [
    { table: 'org', of: 'id', key: ['id'], orgColumn: 'id' },
    { table: 'retention_setting', of: 'org_id', key: ['record_type', 'version'] },
  ],
  fold(entry, rows) {
    const change = entry.payload as unknown as OrgChange;
    rows.put(entry, 'org', entry.subject, { ...settingsOf(entry, change), revision: entry.subjectSeq });
    if (entry.type === 'retention.changed') foldRetention(entry, rows);
  },
};

function settingsOf({ type, at }: ReadableEntry, change: OrgChange): Columns {
  switch (type) {
    case 'org.created':
      return { name: change.name, kind: change.kind, created_at: at, ...DEFAULTS };
    case 'org.experimental_features_changed':
      return { experimental_features_enabled: change.enabled };
    case 'org.findings_threshold_changed':
      return { findings_fail_at: change.fails_at };
    case 'org.refuse_unverified_changed':
      return { refuse_unverified: change.enabled };
    case 'org.members_visible_changed':
      return { members_visible: change.enabled };
    case 'org.waiver_rules_changed':
      return { waiver_max_days: change.waiver_max_days, reason_min_length: change.reason_min_length };
    case 'org.change_control_changed':
      return { change_control: change.mode };
    case 'org.suspension_delay_changed':
      return { suspension_delay_hours: change.hours };
    case 'org.storage_quota_changed':
      return { storage_quota_bytes: change.bytes, storage_quota_rows: change.rows };
    default:
      return {};
  }
}

const DEFAULTS = {
  experimental_features_enabled: false,
  findings_fail_at: null,
  refuse_unverified: false,
  members_visible: false,
  waiver_max_days: null,
  reason_min_length: 0,
  change_control: 'off',
  suspension_delay_hours: 0,
  storage_quota_bytes: null,
  storage_quota_rows: null,
};

function foldRetention(entry: ReadableEntry, rows: RecordedRows): void {
  const { record_type, minimum_years } = entry.payload as { record_type: string; minimum_years: number };
  let version = 1;
  while (rows.rows('retention_setting').has(`${record_type} ${version}`)) version++;
  if (version > 1) rows.put(entry, 'retention_setting', `${record_type} ${version - 1}`, { replaced_at: entry.at });
  rows.put(entry, 'retention_setting', `${record_type} ${version}`, {
    ...{ minimum_years, set_at: entry.at, set_by: entry.actorName, replaced_at: null },
  });
}

interface Sso {
  readonly issuer: string;
  readonly client_id: string;
  readonly email_domains: readonly string[];
  readonly default_role: string;
}

export const ssoSettings: RecordKind = {
  kind: 'sso',
  tables: [{ table: 'sso_setting', of: 'org_id', key: ['org_id'] }],
  fold(entry, rows) {
    const put = (columns: Columns) =>
      rows.put(entry, 'sso_setting', entry.subject, { ...columns, revision: entry.subjectSeq });
    if (entry.type === 'sso.removed') return put({ removed_at: entry.at });
    if (entry.type !== 'sso.configured') return put({});
    const { issuer, client_id, email_domains, default_role } = entry.payload as unknown as Sso;
    const by = { configured_at: entry.at, configured_by: entry.actorName, removed_at: null };
    put({ issuer, client_id, email_domains, default_role, ...by });
  },
};

export const ssoIdentities: RecordKind = {
  kind: 'sso_identity',
  tables: [{ table: 'sso_identity', of: 'id', key: ['id'] }],
  fold(entry, rows) {
    const { user_id, issuer, subject, email } = entry.payload as Record<string, string>;
    const linked = { user_id, issuer, subject, email } as Columns;
    rows.put(entry, 'sso_identity', entry.subject, { ...linked, created_at: entry.at });
  },
};

interface Invitation {
  readonly email: string;
  readonly role: string;
  readonly expires_at: number;
  readonly user_id: string;
}

export const invitations: RecordKind = {
  kind: 'invitation',
  tables: [{ table: 'invitation', of: 'id', key: ['id'] }],
  fold(entry, rows) {
    const put = (columns: Columns) => rows.put(entry, 'invitation', entry.subject, columns);
    const { email, role, expires_at, user_id } = entry.payload as unknown as Invitation;
    if (entry.type === 'invitation.created') {
      put({
        ...{ email, role, expires_at: seconds(expires_at), created_at: entry.at },
        ...{ accepted_at: null, accepted_by: null, revoked_at: null },
      });
    }
    if (entry.type === 'invitation.accepted') put({ accepted_at: entry.at, accepted_by: user_id });
    if (entry.type === 'invitation.revoked') put({ revoked_at: entry.at });
  },
};

interface Notification {
  readonly number: number;
  readonly type: string;
  readonly name: string;
  readonly triggers: readonly string[];
}

export const notifications: RecordKind = {
  kind: 'notification',
  tables: [{ table: 'notification', of: 'id', key: ['id'] }],
  fold(entry, rows) {
    const sent = entry.payload as unknown as Notification;
    const always = { revision: entry.subjectSeq, last_modified_at: entry.at };
    const put = (columns: Columns) => rows.put(entry, 'notification', entry.subject, { ...columns, ...always });
    if (entry.type === 'notification.deleted') return put({ deleted_at: entry.at });
    const { number, type: kind, name, triggers } = sent;
    const isNew = entry.type === 'notification.created';
    const born = { created_at: entry.at, created_by: entry.actorName, deleted_at: null };
    put({ number, kind, name, triggers, ...(isNew && born) });
  },
};
