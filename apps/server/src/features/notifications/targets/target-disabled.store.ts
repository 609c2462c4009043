import { type SqlBool, sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';

/** Undefined when it is already removed or disabled. */
export async function updateToDisabled(
  db: Db,
  org: string,
  target: string,
  { because, at }: { readonly because: string; readonly at: Date },
) {
  const updated = await db
    .updateTable('notification_target as target')
    .set({ revision: sql`revision + 1` })
    .where('org_id', '=', org)
    .where('id', '=', target)
    .where('removed_at', 'is', null)
    .where(
      sql<SqlBool>`exists (
        select from target_state as state
        where state.org_id = ${org} and state.target_id = ${target} and state.disabled_at is null
      )`,
    )
    .returning(['source_id', 'config_type', 'kind', 'url_host', 'revision'])
    .executeTakeFirst();
  if (!updated) return undefined;
  await db
    .updateTable('target_state')
    .set({ disabled_at: at, disabled_because: because, due_at: null, paused_until: null })
    .where('org_id', '=', org)
    .where('target_id', '=', target)
    .execute();
  return updated;
}

export interface DisabledTarget {
  readonly source_name: string | null;
  readonly kind: string;
  readonly url_host: string | null;
  readonly disabled_because: string | null;
}

/** Those that are still disabled, and that no mail of this kind has reported to this person. */
export async function listUnreported(
  db: Db,
  org: string,
  user: string,
  { kind, limit }: { kind: string; limit: number },
) {
  const { rows } = await sql<DisabledTarget>`
    select notification.name as source_name, target.kind, target.url_host, state.disabled_because
    from target_state as state
    join notification_target as target on target.org_id = state.org_id and target.id = state.target_id
    left join notification on notification.org_id = target.org_id and notification.id = target.source_id
      and target.config_type is null
    where state.org_id = ${org} and target.removed_at is null
      and state.disabled_at > coalesce((
        select max(mail.sent_at) from mail
        where mail.kind = ${kind} and mail.subject_id = ${user} and mail.org_id = ${org}
      ), '-infinity')
    order by state.disabled_at, state.target_id
    limit ${limit}`.execute(db);
  return rows;
}
