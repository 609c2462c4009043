import { chunksOf } from '../../platform/db/chunks.ts';
import type { Db } from '../../platform/db/db.ts';
import { statement } from '../../platform/db/statement.ts';

export interface NewComponent {
  readonly name: string;
  readonly version: string;
  readonly purl: string | null;
  readonly license?: string;
}

/** Keeps the list from being removed until the transaction ends. Returns nothing where the org does not have it. */
export const lockList = statement<{ org_id: string; list_id: string }, { position: number }>(
  'lock_component_list',
  `select position from component where org_id = :org_id and attestation_id = :list_id::uuid
   order by position limit 1 for key share`,
);

const insertComponentsOf = statement<{ org_id: string; list_id: string; sent: string }, { position: number }>(
  'insert_components',
  `insert into component (org_id, attestation_id, position, name, version, purl, license)
   select :org_id::uuid, :list_id::uuid, position, name, version, purl, license
   from json_to_recordset(:sent::json) as sent (position integer, name text, version text, purl text, license text)
   order by position on conflict do nothing returning position`,
);

/** Returns the number of rows that the org did not have. */
export async function insertComponents(
  db: Db,
  org: string,
  listId: string,
  components: readonly NewComponent[],
): Promise<number> {
  let inserted = 0;
  const sent = components.map((component, position) => ({ ...component, position }));
  for (const some of chunksOf(sent)) {
    const rows = await insertComponentsOf(db, { org_id: org, list_id: listId, sent: JSON.stringify(some) });
    inserted += rows.length;
  }
  return inserted;
}

/** What the components are those of. */
export interface SbomSubject {
  readonly trail_id: string;
  readonly fingerprint: string | null;
  readonly target_artifact: string | null;
  readonly commit_sha: string | null;
}

export const insertSbom = statement<
  SbomSubject &
    Record<string, string | number | null> & {
      org_id: string;
      attestation_id: string;
      list_id: string;
      size: number;
      stored_rows: number;
    },
  never
>(
  'insert_sbom',
  `insert into sbom (org_id, attestation_id, list_id, size, stored_rows, trail_id, fingerprint, target_artifact,
     commit_sha)
   values (:org_id::uuid, :attestation_id::uuid, :list_id::uuid, :size, :stored_rows, :trail_id::uuid, :fingerprint,
     :target_artifact, :commit_sha)`,
);

export const deleteSbom = statement<{ org_id: string; attestation_id: string }, { list_id: string }>(
  'delete_sbom',
  `delete from sbom where org_id = :org_id and attestation_id = :attestation_id::uuid returning list_id`,
);

/** Waits for reports that are about to use the list. */
export const lockListAlone = statement<{ org_id: string; list_id: string }, { position: number }>(
  'lock_component_list_alone',
  `select position from component where org_id = :org_id and attestation_id = :list_id::uuid
   order by position limit 1 for update`,
);

/** Deletes a list that no attestation has anymore. */
export const deleteUnusedList = statement<{ org_id: string; list_id: string }, { position: number }>(
  'delete_unused_component_list',
  `delete from component where org_id = :org_id and attestation_id = :list_id::uuid and not exists (
     select from sbom where org_id = :org_id and list_id = :list_id::uuid)
   returning position`,
);
