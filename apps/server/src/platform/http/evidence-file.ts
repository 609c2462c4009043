import { createHash } from 'node:crypto';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Ctx } from '../ctx.ts';
import { statement } from '../db/statement.ts';
import type { FormIntake } from './multipart.ts';
import { type FullStorage, storageFull } from './storage-quota.ts';

/**
 * Puts a file into the evidence store and counts it if the org did not have it. This happens before the request is
 * accepted, because the file stays even if the request is refused. The commit need not wait for the disk: uploads of
 * one org wait for each other here, and a crash loses the count of at most one file.
 */
export function storeFile(blobs: BlobStore, ctx: Ctx, maxBytes: number): FormIntake['keepFile'] {
  return async (filename, content) => {
    const { sha256, size } = await blobs.put(ctx.org, content, { maxBytes });
    await countFile(ctx.db, { org_id: ctx.org, digest: sha256, size, now: ctx.now() });
    return { filename, sha256, size };
  };
}

const countFile = statement<{ org_id: string; digest: string; size: number; now: Date }, never>(
  'count_file',
  `with relaxed as materialized (
     select set_config('synchronous_commit', 'off', true) as setting
   ), stored as (
     insert into evidence_file (org_id, sha256, size, stored_at)
     select :org_id::uuid, :digest::text, :size::bigint, :now::timestamptz from relaxed
     on conflict do nothing
     returning size
   )
   insert into org_storage (org_id, file_bytes) select :org_id, size from stored
   on conflict (org_id) do update set file_bytes = org_storage.file_bytes + excluded.file_bytes`,
);

/** Accepts a file of an org over its quota only if it is already stored: nothing is added. */
export function recognizeFile(ctx: Ctx, full: FullStorage): FormIntake['keepFile'] {
  return async (filename, content) => {
    const hash = createHash('sha256');
    for await (const chunk of content) hash.update(chunk);
    const known = await ctx.db
      .selectFrom('evidence_file')
      .select(['sha256', 'size'])
      .where('org_id', '=', ctx.org)
      .where('sha256', '=', hash.digest('hex'))
      .executeTakeFirst();
    if (!known) throw storageFull(full);
    return { filename, ...known };
  };
}
