import { textOf } from './expected.ts';
import type { RecordKind } from './record-kind.ts';
import type { Columns } from './recorded-rows.ts';

interface Key {
  readonly name: string;
  readonly algorithm: string;
  readonly sha256: string;
  readonly public_key: string;
  /** From version 2 on. */
  readonly flows?: readonly string[] | null;
}

export const trustedKeys: RecordKind = {
  kind: 'trusted_key',
  tables: [{ table: 'trusted_key', of: 'id', key: ['id'] }],
  fold(entry, rows) {
    const put = (columns: Columns) => rows.put(entry, 'trusted_key', entry.subject, columns);
    if (entry.type === 'trust.key_added') {
      const { name, algorithm, sha256, public_key, flows = null } = entry.payload as unknown as Key;
      const by = { created_at: entry.at, created_by: entry.actorName, removed_at: null };
      put({ name, algorithm, sha256, public_key, flow_ids: flows, ...by });
    }
    if (entry.type === 'trust.key_removed') put({ removed_at: entry.at });
  },
};

interface Identity {
  readonly name: string;
  readonly issuer: string;
  readonly subject: string;
  readonly trusted_root_sha256: string;
  readonly trusted_root_source: string;
  /** From version 2 on. */
  readonly is_pattern?: boolean;
  readonly flows?: readonly string[] | null;
}

export const trustedIdentities: RecordKind = {
  kind: 'trusted_identity',
  tables: [{ table: 'trusted_identity', of: 'id', key: ['id'] }],
  fold(entry, rows) {
    const put = (columns: Columns) => rows.put(entry, 'trusted_identity', entry.subject, columns);
    if (entry.type === 'trust.identity_added') {
      const { name, issuer, subject, flows = null, is_pattern = false, ...root } = entry.payload as unknown as Identity;
      put({
        ...{ name, issuer, subject, root_sha256: root.trusted_root_sha256, root_source: root.trusted_root_source },
        ...{ flow_ids: flows, is_pattern },
        ...{ created_at: entry.at, created_by: entry.actorName, removed_at: null },
      });
    }
    if (entry.type === 'trust.identity_removed') put({ removed_at: entry.at });
  },
};

interface TypeVersion {
  readonly name: string;
  readonly version: number;
  readonly description: string;
  readonly schema_sha256: string | null;
  readonly rules: readonly string[] | null;
  readonly summary: readonly unknown[] | null;
  readonly comment?: string;
}

export const attestationTypes: RecordKind = {
  kind: 'attestation_type',
  tables: [
    { table: 'custom_attestation_type', of: 'id', key: ['id'] },
    { table: 'custom_attestation_type_version', of: 'type_id', key: ['type_id', 'version'] },
  ],
  fold(entry, rows) {
    const { at, actorName, subject } = entry;
    const put = (columns: Columns) => {
      const always = { revision: entry.subjectSeq, last_modified_at: at };
      rows.put(entry, 'custom_attestation_type', subject, { ...columns, ...always });
    };
    if (entry.type === 'attestation_type.archived') put({ archived_at: at });
    if (entry.type !== 'attestation_type.versioned') return;
    const sent = entry.payload as unknown as TypeVersion;
    const { name, version, description, schema_sha256, rules, summary, comment = null } = sent;
    const born = { name, created_at: at, created_by: actorName, archived_at: null };
    put({ description, ...(version === 1 && born) });
    rows.put(entry, 'custom_attestation_type_version', `${subject} ${version}`, {
      schema: schema_sha256 === null ? null : textOf(schema_sha256),
      ...{ rules, summary, comment, created_at: at, created_by: actorName },
    });
  },
};

interface Hold {
  readonly name: string;
  readonly reason: string;
  readonly kind: string;
  readonly environment?: { readonly id: string };
  readonly trail?: { readonly id: string };
  readonly fingerprint?: string;
  readonly lift_reason?: string;
}

export const legalHolds: RecordKind = {
  kind: 'legal_hold',
  tables: [{ table: 'legal_hold', of: 'id', key: ['id'] }],
  fold(entry, rows) {
    const { name, reason, kind, environment, trail, fingerprint, lift_reason } = entry.payload as unknown as Hold;
    const put = (columns: Columns) => rows.put(entry, 'legal_hold', entry.subject, columns);
    if (entry.type === 'legal_hold.placed') {
      put({
        ...{ name, reason, subject_kind: kind, subject_id: environment?.id ?? trail?.id ?? null },
        ...{ fingerprint: fingerprint ?? null, placed_at: entry.at, placed_by: entry.actorName },
        ...{ lifted_at: null, lifted_by: null, lift_reason: null },
      });
    }
    if (entry.type === 'legal_hold.lifted')
      put({ lifted_at: entry.at, lifted_by: entry.actorName, lift_reason: lift_reason ?? null });
  },
};
