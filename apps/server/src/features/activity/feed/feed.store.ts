import type { Db } from '../../../platform/db/db.ts';
import { statement } from '../../../platform/db/statement.ts';
import { ENTRY_OF_LEDGER } from '../../../platform/journal/journal-range.ts';

/** Rows in one read of an org's feed. */
export const BATCH = 500;

/** An entry of an org with its place in the order. */
export interface FeedRow {
  readonly index: number;
  readonly entry_id: string;
  readonly type: string;
  readonly subject_kind: string;
  readonly subject_id: string;
  readonly actor_name: string;
  readonly recorded_at: Date;
}

/** A place in an org's feed. */
export interface FeedPlace {
  readonly org: string;
  readonly index: number;
}

/** What comes after a place, oldest first, at most `BATCH` rows. */
export interface FeedPart {
  /** An index of another life of the database may be that of another entry. */
  readonly life: number;
  readonly rows: readonly FeedRow[];
  /** When the read had ended, in milliseconds of this process. */
  readonly readAt: number;
}

/** Returns one part for each place, in order. */
export async function listFeeds(db: Db, places: readonly FeedPlace[]): Promise<FeedPart[]> {
  const found = await listAfter(db, { orgs: places.map(({ org }) => org), indexes: places.map(({ index }) => index) });
  const readAt = performance.now();
  const byPlace = Map.groupBy(found, ({ place }) => place);
  return places.map((_, i) => {
    const rows = byPlace.get(i + 1) ?? [];
    const [first] = rows;
    if (!first) throw new Error('the table sequencer has no row');
    return { life: first.life, rows: first.index === null ? [] : (rows as FeedRow[]), readAt };
  });
}

export async function readFeed(db: Db, place: FeedPlace): Promise<FeedPart> {
  const [part] = await listFeeds(db, [place]);
  return part as FeedPart;
}

interface FoundRow extends Omit<FeedRow, 'index'> {
  readonly place: number;
  readonly life: number;
  /** Null in the only row of a place after which there is nothing. */
  readonly index: number | null;
}

const listAfter = statement<{ orgs: string[]; indexes: number[] }, FoundRow>(
  'list_feeds',
  `select sent.place, sequencer.life, entry.*
   from unnest((select :orgs::uuid[]), (select :indexes::bigint[])) with ordinality as sent (org_id, index, place)
   cross join sequencer
   left join ledger_head as head on head.org_id = sent.org_id and head.size > sent.index + 1
   left join lateral (
     select ledger.index, journal.id as entry_id, journal.type, journal.subject_kind, journal.subject_id,
       journal.actor_name, journal.recorded_at
     from ledger cross join lateral (${ENTRY_OF_LEDGER}) as journal
     where ledger.org_id = head.org_id and ledger.index > sent.index and ledger.position > sent.index
     order by ledger.index limit ${BATCH}
   ) as entry on true
   order by sent.place, entry.index`,
);

/** The end of an org's feed. */
export interface FeedHead {
  /** Of the last entry; -1 while there is none. */
  readonly index: number;
  readonly life: number;
}

/** Returns one head for each org, in order. */
export async function findFeedHeads(db: Db, orgs: readonly string[]): Promise<FeedHead[]> {
  const rows = await findHeads(db, { orgs });
  const byOrg = new Map(rows.map(({ org_id, ...head }) => [org_id, head]));
  return orgs.map((org) => {
    const head = byOrg.get(org);
    if (!head) throw new Error('the table sequencer has no row');
    return head;
  });
}

const findHeads = statement<{ orgs: readonly string[] }, FeedHead & { readonly org_id: string }>(
  'find_feed_heads',
  `select sent.org_id, coalesce(head.size, 0) - 1 as index, sequencer.life
   from (select distinct unnest((select :orgs::uuid[])) as org_id) as sent
   cross join sequencer
   left join ledger_head as head on head.org_id = sent.org_id`,
);
