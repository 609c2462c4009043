import { sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';

/** A file under the generation in which it was found. */
export interface FoundFile {
  readonly org_id: string;
  readonly sha256: string;
  readonly generation: number;
}

export interface SweptOrg {
  readonly org_id: string;
  readonly reached: string;
  readonly listed: string;
}

/** Orgs that store files take turns: those in the middle of a round, and those whose last round is a day old. */
export async function listDueOrgs(db: Db, now: Date, limit: number): Promise<SweptOrg[]> {
  await sql`
    insert into file_sweep (org_id, swept_at)
    select org_id, '-infinity' from org_storage where not exists (
      select from file_sweep where file_sweep.org_id = org_storage.org_id)
    on conflict do nothing`.execute(db);
  const { rows } = await sql<SweptOrg>`
    select org_id, reached, listed from file_sweep
    where org_id is not null and (reached <> '' or listed <> ''
      or swept_at < ${now}::timestamptz - interval '1 day')
    order by swept_at, org_id limit ${limit}`.execute(db);
  return rows;
}

export async function updateReached(db: Db, { org_id, reached, listed }: SweptOrg, now: Date): Promise<void> {
  await sql`
    update file_sweep set reached = ${reached}, listed = ${listed}, swept_at = ${now}
    where org_id = ${org_id}`.execute(db);
}

/** Nothing refers to it: no attestation, and no change request that waits to record one. */
const UNUSED = sql`
  not exists (select from attestation where attestation.org_id = file.org_id
    and attestation.attachment_sha256 = file.sha256)
  and not exists (select from change_request where change_request.org_id = file.org_id
    and change_request.input <> '' and strpos(change_request.input, file.sha256) > 0)`;

/**
 * Marks the unused files of the next page of an org, and returns the last one of the page, if it was full. A claim
 * that comes first is seen; one that comes later finds the mark, and stores the file under its next generation. The
 * commit waits for the disk: nothing is removed whose mark a crash could take back.
 */
export async function markUnused(
  db: Db,
  { org_id, reached }: SweptOrg,
  { claimedBefore, now, limit }: { readonly claimedBefore: Date; readonly now: Date; readonly limit: number },
): Promise<string> {
  const { rows } = await sql<{ last: string | null; seen: number }>`
    with page as materialized (
      select sha256 from evidence_file where org_id = ${org_id} and sha256 > ${reached} order by sha256 limit ${limit}
    ), marked as (
      update evidence_file as file set removing_since = ${now}
      from page where file.org_id = ${org_id} and file.sha256 = page.sha256 and file.removing_since is null
        and coalesce(file.claimed_at, file.stored_at) < ${claimedBefore} and ${UNUSED}
    )
    select max(sha256) as last, count(*)::integer as seen from page`.execute(db);
  const [page] = rows;
  return page?.last && page.seen === limit ? page.last : '';
}

/** The same for the attachments of erased attestations. Others that another attestation has too are kept. */
export async function markErased(db: Db, claimedBefore: Date, now: Date, limit: number): Promise<void> {
  await sql`
    insert into evidence_file (org_id, sha256, size, stored_at)
    select org_id, attachment_sha256, 0, min(erased_at) from erasure
    where org_id is not null and attachment = 'pending' and not exists (
      select from evidence_file as file where file.org_id = erasure.org_id and file.sha256 = erasure.attachment_sha256)
    group by org_id, attachment_sha256
    on conflict do nothing`.execute(db);
  await sql`
    with pending as materialized (
      select org_id, attestation_id, attachment_sha256 from erasure
      where org_id is not null and attachment = 'pending' order by erased_at, attestation_id limit ${limit}
    ), marked as (
      update evidence_file as file set removing_since = ${now}
      from pending where file.org_id = pending.org_id and file.sha256 = pending.attachment_sha256
        and file.removing_since is null and coalesce(file.claimed_at, file.stored_at) < ${claimedBefore} and ${UNUSED}
    )
    update erasure set attachment = 'shared' from pending
    where erasure.org_id = pending.org_id and erasure.attestation_id = pending.attestation_id
      and exists (select from attestation where attestation.org_id = pending.org_id
        and attestation.attachment_sha256 = pending.attachment_sha256)`.execute(db);
}

/** Marked files that are still there, the oldest mark first. */
export async function listRemovable(db: Db, limit: number): Promise<FoundFile[]> {
  const { rows } = await sql<FoundFile>`
    select org_id, sha256, generation from evidence_file
    where org_id is not null and removing_since is not null and removed_at is null
    order by removing_since, org_id, sha256 limit ${limit}`.execute(db);
  return rows;
}

/** Says so of the attestations that it was attached to. Not of a file that was uploaded again meanwhile. */
export async function updateToRemoved(db: Db, { org_id, sha256, generation }: FoundFile, now: Date): Promise<void> {
  await sql`
    with removed as (
      update evidence_file set removed_at = ${now}
      where org_id = ${org_id} and sha256 = ${sha256} and generation = ${generation} and removing_since is not null
      returning org_id, sha256
    )
    update erasure set attachment = 'removed', attachment_sha256 = null from removed
    where erasure.org_id = removed.org_id and erasure.attachment_sha256 = removed.sha256`.execute(db);
}

/** Forgets files that were removed long ago and not uploaded again since, and counts them no longer. */
export async function deleteRemoved(db: Db, removedBefore: Date, limit: number): Promise<void> {
  await sql`
    with old as materialized (
      select org_id, sha256, generation from evidence_file
      where org_id is not null and removing_since is not null and removed_at < ${removedBefore}
      order by removing_since, org_id, sha256 limit ${limit}
    ), gone as (
      delete from evidence_file as file using old
      where file.org_id = old.org_id and file.sha256 = old.sha256 and file.generation = old.generation
        and file.removed_at is not null
      returning file.org_id, file.size
    ), freed as (
      select org_id, sum(size) as bytes from gone group by org_id order by org_id
    )
    update org_storage set file_bytes = greatest(file_bytes - freed.bytes, 0) from freed
    where org_storage.org_id = freed.org_id`.execute(db);
}

export interface ListedFile extends FoundFile {
  readonly size: number;
  readonly modifiedAt: Date;
}

/**
 * Compares files in the evidence store with what is known about them. Unknown ones, as after a restore of the database,
 * are known from now on. Returns the generations that newer ones have replaced: nothing leads to them.
 */
export async function adoptFiles(db: Db, org: string, files: readonly ListedFile[]): Promise<FoundFile[]> {
  const sent = sql`(select * from unnest(${files.map(({ sha256 }) => sha256)}::text[],
    ${files.map(({ generation }) => generation)}::integer[], ${files.map(({ size }) => size)}::bigint[],
    ${files.map(({ modifiedAt }) => modifiedAt)}::timestamptz[]) as sent (sha256, generation, size, modified_at))`;
  const { rows } = await sql<FoundFile>`
    with newest as (
      select distinct on (sha256) * from ${sent} as sent order by sha256, generation desc
    ), adopted as (
      insert into evidence_file as known (org_id, sha256, size, stored_at, generation)
      select ${org}::uuid, sha256, size, modified_at, generation from newest
      on conflict (org_id, sha256) do update set generation = excluded.generation
        where known.generation < excluded.generation and known.removing_since is null
      returning size, xmax = 0 as is_new
    ), counted as (
      insert into org_storage (org_id, file_bytes)
      select ${org}::uuid, sum(size) from adopted where is_new having sum(size) is not null
      on conflict (org_id) do update set file_bytes = org_storage.file_bytes + excluded.file_bytes
    )
    select known.org_id, sent.sha256, sent.generation from ${sent} as sent
    join evidence_file as known on known.org_id = ${org} and known.sha256 = sent.sha256
    where known.generation > sent.generation`.execute(db);
  return rows;
}
