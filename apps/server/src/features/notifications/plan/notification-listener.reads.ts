import type { MessageTrigger } from '@waymark/messages';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { Entry } from '../../../platform/journal/processor.ts';

/** A notification that is subscribed to events. */
export interface Listener {
  readonly id: string;
  readonly triggers: readonly MessageTrigger[];
  /** In seconds since 1970: earlier entries cause no message. */
  readonly since: number;
  /** For a notification about a logical environment that was archived. */
  readonly until: number | null;
}

/** The environment or flow that an entry is about, with its listeners. */
export interface Heard {
  readonly scopeId: string;
  readonly listeners: readonly Listener[];
}

interface SubjectRow {
  readonly org_id: string;
  readonly subject_id: string;
  readonly scope_id: string;
}
interface ListenerRow extends Listener {
  readonly org_id: string;
  readonly scope_id: string;
}

/**
 * Reads who listens to the subjects of entries, in one query. Orgs without notifications are left out first. A
 * notification about a logical environment listens to its members.
 */
export async function readListeners(db: Db, entries: readonly Entry[]): Promise<(entry: Entry) => Heard | undefined> {
  const { rows } = await sql<{ subjects: SubjectRow[] | null; listeners: ListenerRow[] | null }>`
    with entry as (
      select distinct org_id, kind, id
      from unnest(${entries.map((entry) => entry.org_id)}::uuid[], ${entries.map((entry) => entry.subject_kind)}::text[],
        ${entries.map((entry) => entry.subject_id)}::uuid[]) as entry (org_id, kind, id)
    ), listening as materialized (
      select org_id from (select distinct org_id from entry) as org
      where exists (select from notification where org_id = org.org_id and deleted_at is null)
    ), subject as materialized (
      select entry.org_id, entry.id as subject_id, scope.kind, scope.id as scope_id
      from entry join listening on listening.org_id = entry.org_id
      cross join lateral (
        select 'env' as kind, entry.id where entry.kind = 'environment'
        union all
        select 'flow', flow_id from trail where entry.kind = 'trail' and org_id = entry.org_id and id = entry.id
        union all
        select 'flow', flow_id from artifact where entry.kind = 'artifact' and org_id = entry.org_id and id = entry.id
        union all
        select 'flow', flow_id from attestation
        where entry.kind = 'attestation' and org_id = entry.org_id and id = entry.id
      ) as scope
    ), listener as materialized (
      select watched.org_id, watched.scope_id, notification.id, notification.triggers,
        extract(epoch from notification.created_at)::double precision as since,
        case when bool_or(watched.until is null) then null else max(watched.until) end as until
      from (
        select scope.org_id, scope.scope_id, scope.kind, scope.scope_id as listened_to, null::double precision as until
        from (select distinct org_id, kind, scope_id from subject) as scope
        union all
        select scope.org_id, scope.scope_id, scope.kind, logical.id, extract(epoch from logical.archived_at)
        from (select distinct org_id, kind, scope_id from subject where kind = 'env') as scope
        join environment_member as member on member.org_id = scope.org_id and member.physical_id = scope.scope_id
        join environment as logical on logical.org_id = member.org_id and logical.id = member.logical_id
      ) as watched
      join notification_scope as listens on listens.org_id = watched.org_id and listens.scope_id = watched.listened_to
      join notification on notification.org_id = listens.org_id and notification.id = listens.notification_id
        and notification.kind = watched.kind and notification.deleted_at is null
      group by watched.org_id, watched.scope_id, notification.org_id, notification.id
    )
    select (select json_agg(listener) from listener) as listeners,
      (select json_agg(subject) from subject
       where exists (select from listener where org_id = subject.org_id and scope_id = subject.scope_id)) as subjects`.execute(
    db,
  );
  const [found] = rows;
  const listeners = Map.groupBy(found?.listeners ?? [], (row) => `${row.org_id} ${row.scope_id}`);
  const heard = new Map(
    (found?.subjects ?? []).map(({ org_id, subject_id, scope_id }) => [
      `${org_id} ${subject_id}`,
      { scopeId: scope_id, listeners: listeners.get(`${org_id} ${scope_id}`) ?? [] },
    ]),
  );
  return (entry) => heard.get(`${entry.org_id} ${entry.subject_id}`);
}
