import type { EnvironmentType } from '@waymark/contract';
import type { Db } from '../../platform/db/db.ts';
import { statement } from '../../platform/db/statement.ts';

/** What is needed to decide whether a report changes anything. */
export interface Reporter {
  readonly place: number;
  readonly id: string;
  readonly name: string;
  readonly type: EnvironmentType;
  readonly snapshot_count: number;
  readonly content_digest: Buffer | null;
  readonly last_reported_at: Date | null;
  readonly known_bytes: Buffer | null;
  readonly known_by: string | null;
  readonly known_content: Buffer | null;
}

/** Batches lookups of reports that arrive together. Old names are resolved elsewhere. */
export const findReporters = statement<{ org_ids: readonly string[]; names: readonly string[] }, Reporter>(
  'find_reporters',
  `select wanted.place::integer as place, environment.id, environment.name, environment.type,
     environment.snapshot_count, environment.content_digest,
     heartbeat.last_reported_at, heartbeat.known_bytes, heartbeat.known_by, heartbeat.known_content
   from unnest(:org_ids::uuid[], :names::text[]) with ordinality as wanted (org_id, name, place)
   join environment on environment.org_id = wanted.org_id and environment.name = wanted.name
     and environment.archived_at is null
   left join environment_heartbeat as heartbeat on heartbeat.org_id = environment.org_id
     and heartbeat.environment_id = environment.id`,
);

/** A report, and what its bytes are known to mean. */
export interface Beat {
  readonly org: string;
  readonly environment: string;
  readonly at: Date;
  readonly bytes: Buffer;
  readonly by: string;
  readonly content: Buffer;
}

/** The seconds between the last ten reports, including one that arrives `at`. */
function intervalsUntil(at: string): string {
  const all = `(stored.intervals || case when ${at} > stored.last_reported_at
    then array[least(extract(epoch from ${at} - stored.last_reported_at), 2147483647)::integer] else '{}'::integer[] end)`;
  return `(${all})[greatest(1, cardinality(${all}) - 9):]`;
}

/** Locks rows in one order, as several servers write them. */
const writeBeats = statement<
  {
    org_ids: readonly string[];
    environment_ids: readonly string[];
    at: readonly Date[];
    bytes: readonly Buffer[];
    by: readonly string[];
    content: readonly Buffer[];
  },
  never
>(
  'write_beats',
  `with beat as materialized (
     select * from unnest(:org_ids::uuid[], :environment_ids::uuid[], :at::timestamptz[], :bytes::bytea[], :by::text[],
       :content::bytea[]) as beat (org_id, environment_id, at, bytes, by, content)
   ), locked as materialized (
     select stored.org_id, stored.environment_id from environment_heartbeat as stored
     join beat on beat.org_id = stored.org_id and beat.environment_id = stored.environment_id
     order by stored.org_id, stored.environment_id for update of stored
   )
   update environment_heartbeat as stored set
     intervals = ${intervalsUntil('beat.at')},
     last_reported_at = greatest(stored.last_reported_at, beat.at),
     known_bytes = beat.bytes, known_by = beat.by, known_content = beat.content
   from beat join locked on locked.org_id = beat.org_id and locked.environment_id = beat.environment_id
   where stored.org_id = beat.org_id and stored.environment_id = beat.environment_id`,
);

export async function updateHeartbeats(db: Db, beats: readonly Beat[]): Promise<void> {
  await writeBeats(db, {
    org_ids: beats.map((beat) => beat.org),
    environment_ids: beats.map((beat) => beat.environment),
    at: beats.map((beat) => beat.at),
    bytes: beats.map((beat) => beat.bytes),
    by: beats.map((beat) => beat.by),
    content: beats.map((beat) => beat.content),
  });
}

/** The first report of an environment creates its row, with what the report changed. */
export const keepBeat = statement<
  { org_id: string; environment_id: string; at: Date; bytes: Buffer; by: string; content: Buffer },
  never
>(
  'keep_beat',
  `insert into environment_heartbeat as stored
     (org_id, environment_id, last_reported_at, intervals, known_bytes, known_by, known_content)
   select org_id, environment_id, at, '{}', bytes, by, content
   from (select :org_id::uuid as org_id, :environment_id::uuid as environment_id, :at::timestamptz as at,
     :bytes::bytea as bytes, :by::text as by, :content::bytea as content) as beat
   on conflict (org_id, environment_id) do update set
     intervals = ${intervalsUntil('excluded.last_reported_at')},
     last_reported_at = greatest(stored.last_reported_at, excluded.last_reported_at),
     known_bytes = excluded.known_bytes, known_by = excluded.known_by, known_content = excluded.known_content`,
);
