import { createHash } from 'node:crypto';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Ctx } from '../ctx.ts';
import { statement } from '../db/statement.ts';
import type { FormIntake } from './multipart.ts';
import { type FullStorage, storageFull } from './storage-quota.ts';

/**
 * Puts a file into the evidence store and counts it if the org did not have it. This happens before the request is
 * accepted, because the file stays for a while even if the request is refused. It is claimed before it is stored, so
 * that no sweep removes it between here and the record that will refer to it. The commit need not wait for the disk:
 * uploads of one org wait for each other here, and the commit of that record makes the claim durable as well.
 */
export function storeFile(blobs: BlobStore, ctx: Ctx, maxBytes: number): FormIntake['keepFile'] {
  const claim = ({ sha256, size }: { sha256: string; size: number }) =>
    claimFile(ctx.db, { org_id: ctx.org, digest: sha256, size, now: ctx.now() });
  return async (filename, content) => {
    const { sha256, size } = await blobs.put(ctx.org, content, { maxBytes, claim });
    return { filename, sha256, size };
  };
}

async function claimFile(db: Ctx['db'], file: Claimed): Promise<number> {
  const [row] = await claimFileOf(db, file);
  if (!row) throw new Error('an evidence file was not claimed');
  return row.generation;
}

interface Claimed extends Record<string, unknown> {
  readonly org_id: string;
  readonly digest: string;
  readonly size: number;
  readonly now: Date;
}

/** A file that is being removed is stored again under its next generation, which the removal does not reach. */
const claimFileOf = statement<Claimed, { generation: number }>(
  'claim_file',
  `with relaxed as materialized (
     select set_config('synchronous_commit', 'off', true) as setting
   ), claimed as (
     insert into evidence_file as known (org_id, sha256, size, stored_at, claimed_at)
     select :org_id::uuid, :digest::text, :size::bigint, :now::timestamptz, :now from relaxed
     on conflict (org_id, sha256) do update set claimed_at = greatest(known.claimed_at, excluded.claimed_at),
       generation = known.generation + case when known.removing_since is null then 0 else 1 end,
       removing_since = null, removed_at = null
     returning size, generation, xmax = 0 as is_new
   ), counted as (
     insert into org_storage (org_id, file_bytes) select :org_id, size from claimed where is_new
     on conflict (org_id) do update set file_bytes = org_storage.file_bytes + excluded.file_bytes
   )
   select generation from claimed`,
);

/** Accepts a file of an org over its quota only if it is already stored: nothing is added. */
export function recognizeFile(blobs: BlobStore, ctx: Ctx, full: FullStorage): FormIntake['keepFile'] {
  return async (filename, content) => {
    const hash = createHash('sha256');
    for await (const chunk of content) hash.update(chunk);
    const sha256 = hash.digest('hex');
    const known = await ctx.db
      .updateTable('evidence_file')
      .set({ claimed_at: ctx.now() })
      .where('org_id', '=', ctx.org)
      .where('sha256', '=', sha256)
      .where('removing_since', 'is', null)
      .returning(['size', 'generation'])
      .executeTakeFirst();
    // It was claimed before it was stored, and storing it may have failed: an earlier generation may be on its way out.
    if (!known || !(await blobs.has(ctx.org, sha256, known.generation))) throw storageFull(full);
    return { filename, sha256, size: known.size };
  };
}
