import { sql } from 'kysely';
import { columnsIn } from '../../src/features/ledger-checks/covered/covered-table.ts';
import { COVERED_TABLES } from '../../src/features/ledger-checks/covered/covered-tables.ts';
import type { Db } from '../../src/platform/db/db.ts';

/** What a database administrator does to one row, or to two. */
export type Edit =
  | { readonly kind: 'change' | 'swap'; readonly table: string; readonly column: string }
  | { readonly kind: 'delete' | 'insert'; readonly table: string };

export interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly isGenerated: boolean;
  readonly isKey: boolean;
}

export async function listColumns(db: Db): Promise<Column[]> {
  const { rows } = await sql<Column>`
    select relname as table, attname as name, format_type(atttypid, null) as type, attgenerated <> '' as "isGenerated",
      exists (select from pg_index where indrelid = pg_class.oid and indisprimary and attnum = any(indkey)) as "isKey"
    from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and attnum > 0
      and not attisdropped
    order by relname, attnum`.execute(db);
  return rows;
}

/** Every edit of what is listed as protected. */
export function listEdits(columns: readonly Column[]): Edit[] {
  return Object.entries(COVERED_TABLES).flatMap(([table, { rowsAreOpen }]): Edit[] => {
    const names = protectedColumns(table).filter(
      (name) => !columns.some((column) => column.table === table && column.name === name && column.isGenerated),
    );
    // Times are compared to minutes, and the rows of a test are made within one.
    const isTime = (name: string) =>
      columns.some(({ table: of, name: column, type }) => of === table && column === name && type.startsWith('time'));
    return [
      ...names.map((column): Edit => ({ kind: 'change', table, column })),
      ...names.filter((name) => !isTime(name)).map((column): Edit => ({ kind: 'swap', table, column })),
      ...(rowsAreOpen ? [] : [{ kind: 'delete', table } as const, { kind: 'insert', table } as const]),
    ];
  });
}

function protectedColumns(table: string): string[] {
  const covered = COVERED_TABLES[table];
  return covered ? [...columnsIn(covered.recorded), ...columnsIn(covered.derived)] : [];
}

/** Of rows that are equal otherwise, a swap changes nothing but which one has the open columns. */
function otherwiseDiffer({ table, column }: { table: string; column: string }): string {
  const others = protectedColumns(table).filter((name) => name !== column);
  const of = (row: string) => `row(${others.map((name) => `${row}."${name}"`)})`;
  return others.length === 0 ? 'false' : `${of('one')} is distinct from ${of('other')}`;
}

/** An expression of another value of the same type. */
function otherValue(type: string, column: string): string {
  const name = `"${column}"`;
  switch (type) {
    case 'boolean':
      return `not coalesce(${name}, false)`;
    case 'integer':
    case 'bigint':
    case 'smallint':
      return `coalesce(${name}, 0) + 1`;
    case 'uuid':
      return 'gen_random_uuid()';
    case 'timestamp with time zone':
      return `coalesce(${name}, now()) - interval '1 hour'`;
    case 'bytea':
      return `case when octet_length(${name}) > 0 then set_byte(${name}, 0, 255 - get_byte(${name}, 0)) else '\\x01' end`;
    case 'jsonb':
      return `coalesce(${name}, '{}') || '{"forged":"1"}'`;
    case 'text[]':
      return `array_append(coalesce(${name}, '{}'), 'forged')`;
    case 'uuid[]':
      return `array_append(coalesce(${name}, '{}'), gen_random_uuid())`;
    default:
      return `coalesce(${name}, '') || 'f'`;
  }
}

/** Other values for columns that accept only some. */
const CHOICES: Readonly<Record<string, string>> = {
  'approval.state': `case state when 'APPROVED' then 'PENDING' else 'APPROVED' end`,
  'attestation.trust': `case trust when 'api_key' then 'signature' else 'api_key' end`,
  'control_version.kind': `case kind when 'Edited' then 'Created' else 'Edited' end`,
  'environment.type': `case type when 'K8S' then 'ECS' else 'K8S' end`,
  'environment.compliance': `case compliance when 'compliant' then 'non-compliant' else 'compliant' end`,
  'flow.visibility': `case visibility when 'public' then 'private' else 'public' end`,
  'journal.actor_kind': `case actor_kind when 'user' then 'system' else 'user' end`,
  'membership.role': `case role when 'admin' then 'member' else 'admin' end`,
  'membership_event.event_type': `case event_type when 'added' then 'removed' else 'added' end`,
  'membership_event.source': `case source when 'app' then 'scim' else 'app' end`,
  'notification.kind': `case kind when 'env' then 'flow' else 'env' end`,
  'org.kind': `case kind when 'shared' then 'personal' else 'shared' end`,
  'org.change_control': `case change_control when 'off' then 'admins' else 'off' end`,
  'org.findings_fail_at': `case findings_fail_at when 'note' then 'error' else 'note' end`,
  'invitation.role': `case role when 'admin' then 'member' else 'admin' end`,
  'running_verdict.compliance': `case compliance when 'compliant' then 'non-compliant' else 'compliant' end`,
  'service_account.privilege': `case privilege when 'admin' then 'member' else 'admin' end`,
  'snapshot.trigger': `case trigger when 'report' then 'policy' else 'report' end`,
  'snapshot.compliance': `case compliance when 'compliant' then 'non-compliant' else 'compliant' end`,
  'trail_event.type': `case type when 'trail_reported' then 'trail_updated' else 'trail_reported' end`,
  'trusted_identity.root_source': `case root_source when 'sent' then 'installation' else 'sent' end`,
  'waiver.end_reason': `case end_reason when 'withdrawn' then 'expired' else 'withdrawn' end`,
  'decision.status': `case status when 'COMPLIANT' then 'NON-COMPLIANT' else 'COMPLIANT' end`,
  'legal_hold.subject_kind': `case subject_kind when 'trail' then 'environment' else 'trail' end`,
  'retention_setting.record_type': `case record_type when 'trails' then 'people' else 'trails' end`,
  'change_request.state': `case state when 'approved' then 'refused' else 'approved' end`,
};

/**
 * Edits random rows of an org, with the rights of the owner and without constraints between tables. Returns how many
 * rows it changed: none if there is nothing to edit, or the database refuses it.
 */
export async function tamper(db: Db, org: string, edit: Edit, columns: readonly Column[]): Promise<number> {
  const own = edit.table === 'org' ? 'id' : 'org_id';
  const of = columns.filter(({ table }) => table === edit.table);
  const pick = (count: number) =>
    `select ctid, tableoid from ${edit.table} where ${own} = '${org}' order by random() limit ${count}`;
  const run = async (text: string) => Number((await sql.raw(text).execute(db)).numAffectedRows ?? 0n);
  switch (edit.kind) {
    case 'delete':
      return run(`delete from ${edit.table} where (ctid, tableoid) in (${pick(1)})`);
    case 'change': {
      const type = of.find(({ name }) => name === edit.column)?.type ?? 'text';
      const value = CHOICES[`${edit.table}.${edit.column}`] ?? otherValue(type, edit.column);
      return run(`update ${edit.table} set "${edit.column}" = ${value} where (ctid, tableoid) in (${pick(1)})`);
    }
    case 'swap':
      return run(`
        with chosen as materialized (
          select one.ctid as one, one.tableoid as one_table, other.ctid as other, other.tableoid as other_table,
            one."${edit.column}" as one_value, other."${edit.column}" as other_value
          from ${edit.table} as one join ${edit.table} as other
            on other.${own} = one.${own} and other."${edit.column}" is distinct from one."${edit.column}"
          where one.${own} = '${org}' and ${otherwiseDiffer(edit)} order by random() limit 1)
        update ${edit.table} as stored
        set "${edit.column}" = case when stored.ctid = one and stored.tableoid = one_table then other_value else one_value end
        from chosen where (stored.ctid, stored.tableoid) in ((one, one_table), (other, other_table))`);
    case 'insert': {
      const copied = of.filter(({ isGenerated }) => !isGenerated);
      const keys = copied.filter(({ name, isKey }) => isKey && name !== own);
      if (keys.length === 0) return 0;
      // A number of the future would be an entry that is still to be sequenced.
      const distance = edit.table === 'journal' ? '- 1000000' : '+ 1000000';
      const values = copied.map(({ name, type }) =>
        name === keys.at(-1)?.name
          ? type === 'integer' || type === 'bigint' || type === 'smallint'
            ? `"${name}" ${distance}`
            : otherValue(type, name)
          : `"${name}"`,
      );
      const names = copied.map(({ name }) => `"${name}"`);
      return run(
        `insert into ${edit.table} (${names}) select ${values} from ${edit.table} where (ctid, tableoid) in (${pick(1)})`,
      );
    }
  }
}

/** Tables in which an edit of another one shows. */
export const SHOWS_IN: Readonly<Record<string, readonly string[]>> = {
  journal: ['journal', 'ledger'],
  org_log: ['org_log', 'org_log_tile', 'ledger', 'region_leaf'],
  ledger: ['ledger', 'journal', 'ledger_head', 'org_log', 'org_log_tile'],
  policy_set: ['policy_set', 'snapshot'],
  decision: ['decision', 'running_verdict'],
  evidence_state: ['evidence_state', 'decision', 'running_verdict'],
  environment: ['environment', 'snapshot'],
  running: ['running', 'running_verdict'],
  policy_version: ['policy_version', 'decision'],
  flow_template: ['flow_template', 'trail'],
};
