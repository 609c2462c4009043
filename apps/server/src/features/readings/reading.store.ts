import { chunksOf } from '../../platform/db/chunks.ts';
import type { Db } from '../../platform/db/db.ts';
import { statement } from '../../platform/db/statement.ts';

/** Returns nothing where the org has a reading of this content. */
export const insertReading = statement<{ org_id: string; id: string; content: string }, { id: string }>(
  'insert_reading',
  `insert into reading (org_id, id, content) values (:org_id::uuid, :id, :content) on conflict do nothing returning id`,
);

export const insertAttestationReading = statement<
  { org_id: string; attestation_id: string; reading_id: string; size: number; stored_bytes: number },
  never
>(
  'insert_attestation_reading',
  `insert into attestation_reading (org_id, attestation_id, reading_id, size, stored_bytes)
   values (:org_id::uuid, :attestation_id::uuid, :reading_id, :size, :stored_bytes)`,
);

const insertKeysOf = statement<{ org_id: string; reading_id: string; sent: string }, never>(
  'insert_reading_keys',
  `insert into reading_key (org_id, key, reading_id, positions)
   select :org_id::uuid, key, :reading_id, positions
   from json_to_recordset(:sent::json) as sent (key text, positions integer[])
   order by key on conflict do nothing`,
);

export async function insertKeys(
  db: Db,
  org: string,
  readingId: string,
  keys: readonly { readonly key: string; readonly positions: readonly number[] }[],
): Promise<void> {
  for (const some of chunksOf(keys)) {
    await insertKeysOf(db, { org_id: org, reading_id: readingId, sent: JSON.stringify(some) });
  }
}

export const listArtifactNames = statement<
  { org_id: string; trail_id: string; fingerprint: string },
  { template_name: string | null; filename: string }
>(
  'list_artifact_names_for_findings',
  `select distinct template_name, filename from artifact
   where org_id = :org_id and trail_id = :trail_id::uuid and fingerprint = :fingerprint
   order by template_name, filename limit 10`,
);

export const listFirstSeen = statement<
  { org_id: string; flow_id: string; names: readonly string[]; ids: readonly string[] },
  { finding_id: string; seen_at: Date }
>(
  'list_first_seen',
  `select finding_id, min(seen_at) as seen_at from first_seen
   where org_id = :org_id and flow_id = :flow_id::uuid and artifact_name = any(:names::text[])
     and finding_id = any(:ids::uuid[])
   group by finding_id`,
);

/** In order, so that two statements cannot deadlock. */
export const insertFirstSeen = statement<
  { org_id: string; flow_id: string; names: readonly string[]; ids: readonly string[]; seen: readonly Date[] },
  never
>(
  'insert_first_seen',
  `insert into first_seen (org_id, flow_id, artifact_name, finding_id, seen_at)
   select :org_id::uuid, :flow_id::uuid, name, finding_id, seen_at
   from unnest(:names::text[]) as name
   cross join unnest(:ids::uuid[], :seen::timestamptz[]) as seen (finding_id, seen_at)
   order by name, finding_id
   on conflict do nothing`,
);

/** Also of a report that is not recorded because another had its evidence id. */
export const deleteAttestationReading = statement<{ org_id: string; attestation_id: string }, { reading_id: string }>(
  'delete_attestation_reading',
  `delete from attestation_reading where org_id = :org_id and attestation_id = :attestation_id::uuid
   returning reading_id`,
);

/** Of a reading that no attestation has anymore. */
export const deleteUnusedKeys = statement<{ org_id: string; reading_id: string }, never>(
  'delete_unused_reading_keys',
  `delete from reading_key where org_id = :org_id and reading_id = :reading_id and not exists (
     select from attestation_reading where org_id = :org_id and reading_id = :reading_id)`,
);
