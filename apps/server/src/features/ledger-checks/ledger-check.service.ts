import { sql } from 'kysely';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import type { Db } from '../../platform/db/db.ts';
import type { StoredTree } from '../../platform/ledger/tree.ts';
import { findOrgById } from '../orgs/org.reads.ts';
import { replayDecisions } from '../runtime-verdicts/replay.reads.ts';
import { type OnDifference, shown } from './difference.ts';
import { compareFiles } from './files/compare-files.ts';
import { inOneView } from './one-view.ts';
import { comparePage, type OrderPlace } from './order/compare-page.ts';
import { type LedgerRow, listFinished, readLedgerPage } from './order/ledger-page.ts';
import { listUnsequenced, readJournalPage } from './order/unsequenced.ts';
import { compareRecords } from './records/compare-records.ts';
import { compareReadings } from './records/readings.ts';
import { compareRelations } from './records/relations.ts';
import { compareStoredContent } from './records/stored-content.ts';
import { findStrayRows, RECORD_TABLES } from './records/stray-rows.ts';
import { compareRuns } from './runtime/compare-runs.ts';
import { compareSnapshots } from './runtime/snapshot-entries.ts';
import { compareOrgLog, compareSizes } from './trees/compare-org-log.ts';
import { EMPTY_TREE } from './trees/compare-tree.ts';

const PAGE = 500;

export interface CheckParts {
  readonly db: Db;
  readonly blobs: BlobStore;
  readonly onDifference: OnDifference;
}

/** How far the ledger of an org was compared. */
export interface CheckPlace {
  readonly order: OrderPlace;
  readonly tree: StoredTree;
}

export const BEGINNING: CheckPlace = { order: { index: 0, position: 0, seq: 0 }, tree: EMPTY_TREE };

/**
 * Compares a page of the ledger of an org: with the journal, with the tree, and with the rows of all subjects about which
 * there is no later entry. Returns the next place, or undefined at the end.
 */
export async function checkPage(
  parts: CheckParts,
  org: string,
  place: CheckPlace,
  { withTrees = true }: { withTrees?: boolean } = {},
): Promise<CheckPlace | undefined> {
  const { onDifference } = parts;
  return inOneView(parts.db, async (db) => {
    const rows = await readLedgerPage(db, org, place.order.index, PAGE);
    if (rows.length === 0) return undefined;
    const order = await comparePage(db, org, place.order, rows, onDifference);
    const tree = withTrees ? await compareOrgLog(db, org, place.tree, rows, onDifference) : place.tree;
    const subjects = await finishedSubjects(db, org, rows);
    await compareRecords(db, org, subjects, onDifference);
    await compareSnapshots(db, org, rows, onDifference);
    await compareFiles(parts, org, rows);
    return { order, tree };
  });
}

/** Compares what has no place in the ledger: sizes, entries and rows that are not in it, and content. */
export async function checkRest(
  { db, onDifference }: Pick<CheckParts, 'db' | 'onDifference'>,
  org: string,
): Promise<void> {
  await inOneView(db, (db) => compareSizes(db, org, onDifference));
  await findUnplaced(db, org, onDifference);
  for (const table of RECORD_TABLES) await findStrayRows(db, org, table, onDifference);
  await compareRuns(db, org, onDifference);
  await compareRelations(db, org, onDifference);
  await compareStoredContent(db, org, onDifference);
  await compareReadings(db, org, onDifference);
  // One that is gone was named with its entries.
  if (!(await findOrgById(db, org))) return;
  await replayDecisions(db, {
    org,
    onDifference: ({ decision, what, stored, replayed }) => {
      const says = `is ${shown(stored)}, but follows from its inputs as ${shown(replayed)}`;
      onDifference({ org, table: 'decision', row: decision, column: what, index: null, says });
    },
  });
}

async function finishedSubjects(db: Db, org: string, rows: readonly LedgerRow[]): Promise<string[]> {
  const last = rows.at(-1);
  const known = [...new Set(rows.flatMap(({ subject_id, subject }) => [subject_id, subject]))];
  const subjects = known.filter((id) => id !== null);
  const finished = await listFinished(db, org, subjects, last?.entry_seq ?? 0);
  const moving = await listUnsequenced(db, org, finished);
  return finished.filter((id) => !moving.has(id));
}

/** Entries of the journal that the sequencer has passed, and that are not in the ledger. */
async function findUnplaced(db: Db, org: string, onDifference: OnDifference): Promise<void> {
  for (let after: number | undefined = Number.MIN_SAFE_INTEGER; after !== undefined; ) {
    const entries: Awaited<ReturnType<typeof readJournalPage>> = await readJournalPage(db, org, after, 5_000);
    for (const { id, type, is_placed } of entries) {
      if (is_placed) continue;
      const says = `(${type}) is not in the ledger, although the sequencer has passed it`;
      onDifference({ org, table: 'journal', row: id, column: null, index: null, says });
    }
    after = entries.at(-1)?.seq;
  }
}

/** All orgs that have entries, in the order of their ids. */
export async function listCheckedOrgs(db: Db): Promise<string[]> {
  const { rows } = await sql<{ org_id: string }>`
    select org_id from (
      select org_id from ledger_head union select org_id from org_log union select id from org
    ) as known order by org_id`.execute(db);
  return rows.map(({ org_id }) => org_id);
}
