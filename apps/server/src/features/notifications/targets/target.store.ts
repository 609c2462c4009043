import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import { lockSubject } from '../../../platform/db/subject-lock.ts';
import type { Tables } from '../../../platform/db/tables.ts';

export type StoredTarget = Selectable<Tables['notification_target']>;

/** Held while recording something about the target. */
export function lockTarget(db: Db, org: string, id: string): Promise<void> {
  return lockSubject(db, org, 'target', id);
}

export function findTarget(db: Db, org: string, id: string): Promise<StoredTarget | undefined> {
  return db
    .selectFrom('notification_target')
    .selectAll()
    .where('org_id', '=', org)
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .where('derived', '=', false)
    .executeTakeFirst();
}

/** It has no journal entries yet, and nothing waits for it. */
export async function insertTarget(
  db: Db,
  target: Omit<Insertable<Tables['notification_target']>, 'revision'>,
): Promise<void> {
  await db
    .insertInto('notification_target')
    .values({ ...target, revision: 0 })
    .execute();
  await db.insertInto('target_state').values({ org_id: target.org_id, target_id: target.id }).execute();
}

/** What is written when a target gets a URL. */
export interface SealedParts {
  readonly url_sealed: string;
  readonly url_sha256: Buffer;
  readonly url_host: string;
  readonly secret_sealed?: string;
  readonly old_secret_sealed?: null;
  readonly old_secret_until?: null;
}

export async function updateTarget(
  db: Db,
  org: string,
  id: string,
  change: { position: number; context: string | null; emails: string[] } & Partial<SealedParts>,
): Promise<void> {
  await db.updateTable('notification_target').set(change).where('org_id', '=', org).where('id', '=', id).execute();
}

/** Call it once for each journal entry about the target, as its revision counts them. */
export function updateSecret(
  db: Db,
  org: string,
  id: string,
  change: { secret_sealed: string; old_secret_sealed: string | null; old_secret_until: Date | null },
): Promise<{ revision: number } | undefined> {
  return db
    .updateTable('notification_target')
    .set((column) => ({ ...change, revision: column('revision', '+', 1) }))
    .where('org_id', '=', org)
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .returning('revision')
    .executeTakeFirst();
}

/** Forgets its failures, except for their times. */
export async function updateToEnabled(db: Db, org: string, id: string): Promise<void> {
  await db
    .updateTable('target_state')
    .set({ disabled_at: null, disabled_because: null, failures: 0, failing_since: null, paused_until: null })
    .where('org_id', '=', org)
    .where('target_id', '=', id)
    .execute();
}

/**
 * Makes what waits due at once, with all attempts. A worker that is sending still uses the old URL, so it loses the
 * target after its current attempt; until its lease ends nobody takes over.
 */
export async function updateToDueNow(db: Db, org: string, id: string, now: Date): Promise<void> {
  await db
    .updateTable('target_state')
    .set({ due_at: now, held_by: null, sending_delivery: null, sending_request: null, sending_at: null })
    .where('org_id', '=', org)
    .where('target_id', '=', id)
    .execute();
  await db
    .updateTable('delivery')
    .set({ due_at: now, tries: 0 })
    .where('org_id', '=', org)
    .where('target_id', '=', id)
    .where('state', '=', 'waiting')
    .execute();
}

/** Drops what waits for other addresses. */
export async function dropForOthers(
  db: Db,
  org: string,
  id: string,
  emails: readonly string[],
  at: Date,
): Promise<void> {
  await db
    .updateTable('delivery')
    .set({ state: 'dropped', ended_at: at })
    .where('org_id', '=', org)
    .where('target_id', '=', id)
    .where('state', '=', 'waiting')
    .where(sql`lower(address)`, '<>', sql`all(${emails.map((email) => email.toLowerCase())}::text[])`)
    .execute();
}

export async function updateToRemoved(db: Db, org: string, ids: readonly string[], at: Date): Promise<void> {
  await db
    .updateTable('notification_target')
    .set({ removed_at: at })
    .where('org_id', '=', org)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
  await db
    .updateTable('target_state')
    .set({ due_at: null })
    .where('org_id', '=', org)
    .where('target_id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
}

/** Drops what waits for these targets. */
export async function updateToDropped(db: Db, org: string, ids: readonly string[], at: Date): Promise<void> {
  await db
    .updateTable('delivery')
    .set({ state: 'dropped', ended_at: at })
    .where('org_id', '=', org)
    .where('target_id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('state', '=', 'waiting')
    .execute();
}

/** URLs and mail addresses that messages of the org may go to. */
export async function countDestinations(db: Db, org: string): Promise<number> {
  const { rows } = await sql<{ destinations: number }>`
    select coalesce(sum(greatest(cardinality(emails), 1)), 0)::integer as destinations from notification_target
    where org_id = ${org} and removed_at is null and not derived`.execute(db);
  return rows[0]?.destinations ?? 0;
}

/** Ordered by the ids of the targets. */
export async function lockStates(db: Db, org: string, sourceId: string): Promise<void> {
  await sql`
    select from target_state as state
    join notification_target as target on target.org_id = state.org_id and target.id = state.target_id
    where state.org_id = ${org} and target.source_id = ${sourceId} and target.removed_at is null
    order by state.target_id
    for no key update of state`.execute(db);
}
