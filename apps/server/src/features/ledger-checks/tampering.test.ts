import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { isFull } from '../../../../../tools/test-size.ts';
import { givenEverything } from '../../../test/given/everything.ts';
import { givenSealedLedger } from '../../../test/given/sealed.ts';
import { type Edit, listColumns, listEdits, SHOWS_IN, tamper } from '../../../test/given/tampering.ts';
import { startApi } from '../../../test/harness.ts';
import { createRandom } from '../../../test/model/random.ts';
import type { Db } from '../../platform/db/db.ts';
import type { LedgerDifference } from './difference.ts';
import { BEGINNING, type CheckPlace, checkPage, checkRest } from './ledger-check.service.ts';
import { compareRegionLogs } from './trees/compare-region-log.ts';

const api = await startApi();
const ledger = await givenSealedLedger(api.db);
for (const name of ['one', 'two']) await givenEverything(api, name);
await ledger.seal();

const columns = await listColumns(api.owner);
const edits = listEdits(columns);
const EDITS = Number(process.env['WAYMARK_TAMPER_EDITS'] ?? (isFull ? 5_000 : 60));
const SEED = Number(process.env['WAYMARK_TAMPER_SEED'] ?? 1);

class Undo extends Error {}

/** Which rows are edited follows from `seed`. */
async function differencesAfter(edit: Edit, seed: number): Promise<LedgerDifference[] | undefined> {
  const found: LedgerDifference[] = [];
  let isEdited = false;
  await api.owner
    .transaction()
    .execute(async (db) => {
      await sql`set local session_replication_role = replica`.execute(db);
      await sql`select setseed(${seed})`.execute(db);
      const count = await tamper(db, api.org.id, edit, columns).catch(refused);
      if (count === 0) throw new Undo();
      isEdited = true;
      await check(db, found);
      throw new Undo();
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undo)) throw error;
    });
  return isEdited ? found : undefined;
}

/** A constraint of the table holds even against its owner. */
function refused(error: unknown): number {
  const { code } = error as { code?: string };
  if (code?.startsWith('23')) return 0;
  throw error;
}

async function check(db: Db, found: LedgerDifference[]): Promise<void> {
  const parts = { db, blobs: api.parts.blobs, onDifference: (difference: LedgerDifference) => found.push(difference) };
  let place: CheckPlace = BEGINNING;
  for (let next: CheckPlace | undefined = BEGINNING; next; next = await checkPage(parts, api.org.id, place))
    place = next;
  await checkRest(parts, api.org.id);
  await compareRegionLogs({ db, objects: ledger.objects, onDifference: parts.onDifference });
}

it(`finds and names each of ${EDITS} random edits, with seed ${SEED}`, { timeout: 3_600_000 }, async () => {
  const random = createRandom(SEED);
  const missed: Edit[] = [];
  let made = 0;
  for (let tries = 0; made < EDITS && tries < 4 * EDITS; tries++) {
    const edit = random.pick(edits);
    const found = await differencesAfter(edit, random.below(1_000) / 1_000);
    if (!found) continue;
    made++;
    const shows = SHOWS_IN[edit.table] ?? [edit.table];
    if (!found.some(({ table }) => shows.includes(table))) missed.push(edit);
  }
  expect(missed).toEqual([]);
  expect(made).toBe(EDITS);
});
