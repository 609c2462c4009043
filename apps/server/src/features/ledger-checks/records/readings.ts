import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { OnDifference } from '../difference.ts';

const TYPES_WITH_READINGS = ['snyk', 'sbom', 'in_toto', 'vex'];

interface Link {
  readonly attestation_id: string;
  readonly named: string | null;
  readonly reading_id: string | null;
  readonly size: number | null;
  readonly actual_size: number | null;
}

/** Compares the readings of attestations with those that their verdicts name, whose digests are recorded. */
export async function compareReadings(db: Db, org: string, onDifference: OnDifference): Promise<void> {
  const { rows } = await sql<Link>`
    select attestation_id, named, reading_id, link.size, actual_size
    from (
      select id as attestation_id, readable_json(verdict) #>> '{read,reading}' as named
      from attestation where org_id = ${org} and type = any(${TYPES_WITH_READINGS}::text[]) and overrides_id is null
    ) as verdict
    full join (select * from attestation_reading where org_id = ${org}) as link using (attestation_id)
    left join lateral (
      select json_array_length(coalesce(list -> 'findings', list -> 'statements')) as actual_size
      from (select readable_json(content) as list from reading where org_id = ${org} and id = link.reading_id) as own
    ) as actual on true
    where named is distinct from reading_id or link.size is distinct from actual_size`.execute(db);
  for (const { attestation_id: row, named, reading_id, size, actual_size } of rows) {
    const differ = (column: string | null, says: string) =>
      onDifference({ org, table: 'attestation_reading', row, column, index: null, says });
    if (reading_id === null) differ(null, `is missing: the verdict names the reading ${named}`);
    else if (named !== reading_id) differ('reading_id', `is ${reading_id}, but the verdict names ${named ?? 'none'}`);
    else if (actual_size === null)
      onDifference({
        org,
        table: 'reading',
        row: reading_id,
        column: null,
        index: null,
        says: 'is missing or unreadable',
      });
    else if (size !== actual_size) differ('size', `is ${size}, but the reading has ${actual_size} items`);
  }
}
