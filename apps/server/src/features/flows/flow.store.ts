import type { Insertable, Selectable } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { statement } from '../../platform/db/statement.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import type { Tables } from '../../platform/db/tables.ts';
import { appendEntryFrom, type attribution } from '../../platform/journal/journal.ts';

export type FlowRow = Selectable<Tables['flow']>;

/** Null members of a patch leave the stored value. */
export interface FlowPatch {
  readonly name: string;
  readonly description: string | null;
  readonly visibility: string | null;
  readonly template: string | null;
  readonly template_names: readonly string[] | null;
  readonly repo_url: string | null;
}

interface PutFlow extends FlowPatch, ReturnType<typeof attribution> {
  readonly [param: string]: unknown;
  readonly id: string;
  readonly default_template: string;
  readonly entry_id: string;
  readonly created_type: string;
  readonly created_version: number;
  readonly updated_type: string;
  readonly updated_version: number;
  readonly payload: string;
  readonly nonce: Buffer;
  readonly digest: Buffer;
}

/**
 * Creates, updates or leaves alone, with the journal entry, in one statement. Returns no row when nothing changed. The
 * lock on the name is taken before the insert draws a transaction id, so that the entries of racing requests for one
 * flow are in the journal in the order of the changes. A flow that evidence created is adopted by whoever puts it.
 */
export const putFlow = statement<PutFlow, { created: boolean }>(
  'put_flow',
  `with locked as materialized (
     select pg_advisory_xact_lock(hashtextextended('flow ' || :name::text, uuid_hash_extended(:org_id::uuid, 0)))::text as done
   ), written as (
     insert into flow as stored (org_id, id, name, description, visibility, template, template_names, repo_url,
       revision, created_at, created_by, last_modified_at, latest_activity_at)
     select :org_id::uuid, :id::uuid, :name::text, coalesce(:description::text, ''), coalesce(:visibility::text, 'private'),
       case when :template_names::text[] is null then coalesce(:template::text, :default_template) end,
       :template_names::text[], coalesce(:repo_url::text, ''), 1, :recorded_at::timestamptz,
       :actor_name::text, :recorded_at::timestamptz, :recorded_at::timestamptz
     from locked where done is not null
     on conflict (org_id, name) where archived_at is null do update set
       description = coalesce(:description::text, stored.description),
       visibility = coalesce(:visibility::text, stored.visibility),
       template = case when :template::text is null and :template_names::text[] is null
         then stored.template else :template::text end,
       template_names = case when :template::text is null and :template_names::text[] is null
         then stored.template_names else :template_names::text[] end,
       repo_url = coalesce(:repo_url::text, stored.repo_url),
       auto_created = false,
       revision = stored.revision + 1,
       last_modified_at = :recorded_at
     where :description::text <> stored.description
       or :visibility::text <> stored.visibility
       or :repo_url::text <> stored.repo_url
       or stored.auto_created
       or ((:template::text is not null or :template_names::text[] is not null)
         and (:template::text, :template_names::text[]) is distinct from (stored.template, stored.template_names))
     returning id as subject_id, revision as subject_seq, revision = 1 as created
   ), taken_over as (
     delete from flow_alias
     where org_id = :org_id and name = :name and exists (select from written where created)
   ), recorded as (${appendEntryFrom('written', {
     subjectKind: 'flow',
     type: 'case when created then :created_type else :updated_type end',
     version: 'case when created then :created_version::smallint else :updated_version::smallint end',
     payload: ':payload',
     nonce: ':nonce',
     digest: ':digest',
   })}
   )
   select created from written`,
);

/** Finds an active flow by its current or an old name. */
export async function findFlow(db: Db, org: string, name: string): Promise<FlowRow | undefined> {
  return (await byName(db, org, name).executeTakeFirst()) ?? (await byOldName(db, org, name).executeTakeFirst());
}

/** Finds it and locks it until the transaction ends. */
export async function lockFlow(db: Db, org: string, name: string): Promise<FlowRow | undefined> {
  const named = await byName(db, org, name).forUpdate().executeTakeFirst();
  return named ?? (await byOldName(db, org, name).forUpdate('flow').executeTakeFirst());
}

function byName(db: Db, org: string, name: string) {
  return db
    .selectFrom('flow')
    .selectAll()
    .where('org_id', '=', org)
    .where('name', '=', name)
    .where('archived_at', 'is', null);
}

function byOldName(db: Db, org: string, name: string) {
  return db
    .selectFrom('flow')
    .innerJoin('flow_alias', (join) =>
      join.onRef('flow_alias.org_id', '=', 'flow.org_id').onRef('flow_alias.flow_id', '=', 'flow.id'),
    )
    .selectAll('flow')
    .where('flow.org_id', '=', org)
    .where('flow_alias.name', '=', name)
    .where('flow.archived_at', 'is', null);
}

/** The same lock that `putFlow` takes on a name. */
export function lockFlowName(db: Db, org: string, name: string): Promise<void> {
  return lockSubject(db, org, 'flow', name);
}

export function insertFlow(db: Db, flow: Insertable<Tables['flow']>): Promise<FlowRow> {
  return db.insertInto('flow').values(flow).returningAll().executeTakeFirstOrThrow();
}

/** Every change of a flow goes through here, so that its revision counts its journal entries. */
export async function updateFlow(
  db: Db,
  flow: FlowRow,
  change: { name?: string; archived_at?: Date; last_modified_at: Date },
): Promise<number> {
  const revision = flow.revision + 1;
  await db
    .updateTable('flow')
    .set({ ...change, revision })
    .where('org_id', '=', flow.org_id)
    .where('id', '=', flow.id)
    .execute();
  return revision;
}

export async function upsertAlias(db: Db, org: string, name: string, flowId: string): Promise<void> {
  await db
    .insertInto('flow_alias')
    .values({ org_id: org, name, flow_id: flowId })
    .onConflict((conflict) => conflict.columns(['org_id', 'name']).doUpdateSet({ flow_id: flowId }))
    .execute();
}

export async function deleteAlias(db: Db, org: string, name: string): Promise<void> {
  await db.deleteFrom('flow_alias').where('org_id', '=', org).where('name', '=', name).execute();
}

export async function deleteAliases(db: Db, org: string, flowId: string): Promise<void> {
  await db.deleteFrom('flow_alias').where('org_id', '=', org).where('flow_id', '=', flowId).execute();
}
