import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';

/** Removes the reasons of erased attestations from messages about them, whether they were sent already or not. */
export async function eraseReasons(
  db: Db,
  erased: readonly { readonly org_id: string; readonly subject_id: string }[],
): Promise<void> {
  if (erased.length === 0) return;
  await sql`
    update message set content = jsonb_set(content, '{why}', 'null')
    from unnest(${erased.map(({ org_id }) => org_id)}::uuid[], ${erased.map(({ subject_id }) => subject_id)}::text[])
      as erased (org_id, id)
    where message.org_id = erased.org_id and message.content -> 'attestation' ->> 'id' = erased.id`.execute(db);
}
