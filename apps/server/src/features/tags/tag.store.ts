import type { Db } from '../../platform/db/db.ts';

export interface TagSubject {
  readonly kind: string;
  readonly id: string;
}

export async function listTags(db: Db, org: string, subject: TagSubject): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('tag')
    .select(['key', 'value'])
    .where('org_id', '=', org)
    .where('subject_kind', '=', subject.kind)
    .where('subject_id', '=', subject.id)
    .execute();
  return new Map(rows.map((row) => [row.key, row.value]));
}

export async function upsertTags(db: Db, org: string, subject: TagSubject, tags: [string, string][]): Promise<void> {
  if (tags.length === 0) return;
  await db
    .insertInto('tag')
    .values(
      tags.map(([key, value]) => ({ org_id: org, subject_kind: subject.kind, subject_id: subject.id, key, value })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['org_id', 'subject_kind', 'subject_id', 'key'])
        .doUpdateSet((row) => ({ value: row.ref('excluded.value') })),
    )
    .execute();
}

export async function deleteTags(db: Db, org: string, subject: TagSubject, keys: string[]): Promise<void> {
  if (keys.length === 0) return;
  await db
    .deleteFrom('tag')
    .where('org_id', '=', org)
    .where('subject_kind', '=', subject.kind)
    .where('subject_id', '=', subject.id)
    .where('key', 'in', keys)
    .execute();
}
