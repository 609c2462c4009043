import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { OnDifference } from '../difference.ts';

interface Broken {
  readonly row: string;
  readonly says: string;
}

interface Relation {
  readonly table: string;
  readonly column: string | null;
  /** Selects the rows for which it does not hold. */
  readonly broken: (org: string) => RawBuilder<Broken>;
}

/** How recorded rows must agree with each other. */
const RELATIONS: readonly Relation[] = [
  {
    table: 'attestation',
    column: 'counts_as',
    broken: (org) => sql<Broken>`
      select mine.id as row, 'is ' || mine.counts_as || ', but what it overrides counts as ' || meant.counts_as as says
      from attestation as mine join attestation as meant on meant.org_id = ${org} and meant.id = mine.overrides_id
      where mine.org_id = ${org} and mine.overrides_id is not null and mine.counts_as <> meant.counts_as limit 1000`,
  },
];

export async function compareRelations(db: Db, org: string, onDifference: OnDifference): Promise<void> {
  for (const { table, column, broken } of RELATIONS) {
    const { rows } = await broken(org).execute(db);
    for (const { row, says } of rows) onDifference({ org, table, row, column, index: null, says });
  }
}
