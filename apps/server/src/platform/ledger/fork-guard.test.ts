import { parseRegionLeaf, parseSignedCheckpoint } from '@waymark/transparency';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { givenEntries } from '../../../test/given/proofs.ts';
import { givenLogKey, givenSealedLedger, LOG_NAME } from '../../../test/given/sealed.ts';
import { startApi } from '../../../test/harness.ts';
import type { ObjectStore } from '../blobs/object-store.ts';
import { beginEpoch } from './epochs.ts';
import { verifierKeyTexts } from './log-keys.ts';
import { checkpointPath } from './region-checkpoints.ts';
import { loadSealer } from './sealer-state.ts';

const TABLES = [
  ...['journal', 'ledger', 'ledger_head', 'lane_head', 'sequencer', 'journal_gap', 'sealer'],
  ...['org_log', 'org_log_tile', 'org_log_checkpoint', 'region_log', 'region_leaf', 'region_tile', 'region_checkpoint'],
];

const api = await startApi();
const ledger = await givenSealedLedger(api.db);

async function record(count: number): Promise<void> {
  await givenEntries(api.db, [api.org.id], count);
}

/** Keeps the rows of the ledger, and returns how to bring them back, as a restore to an earlier point does. */
async function backUp(): Promise<() => Promise<void>> {
  const schema = sql.id(`backup_${Math.random().toString(36).slice(2)}`);
  await sql`create schema ${schema}`.execute(api.owner);
  for (const table of TABLES)
    await sql`create table ${schema}.${sql.id(table)} as table ${sql.id(table)}`.execute(api.owner);
  return async () => {
    for (const table of TABLES) {
      await sql`delete from ${sql.id(table)}`.execute(api.owner);
      await sql`insert into ${sql.id(table)} select * from ${schema}.${sql.id(table)}`.execute(api.owner);
    }
  };
}

/** What the object store had up to a checkpoint, and what is written to the copy. */
function copyOfObjects({ number: last }: { number: number }): ObjectStore {
  const written = new Map<string, Buffer>();
  const read = async (path: string) => {
    const number = Number(/checkpoints\/(\d+)$/.exec(path)?.[1] ?? 0);
    return written.get(path) ?? (number > last ? undefined : ledger.objects.read(path));
  };
  return {
    read,
    async create(path, content) {
      if (await read(path)) return false;
      written.set(path, Buffer.from(content));
      return true;
    },
    overwrite: async (path, content) => void written.set(path, Buffer.from(content)),
    remove: async (path) => void written.delete(path),
  };
}

const stopped = async () => (await loadSealer(api.db)).stoppedBecause;
const parts = () => ({ db: api.db, objects: ledger.objects, name: LOG_NAME, keys: ledger.keys });
const asCommanded = { reason: 'PostgreSQL was restored from a backup', whileSigning: false };

async function newest(epoch: number): Promise<{ number: number; size: number; root: Buffer; note: string }> {
  const { rows } = await sql<{ number: number; size: number; root: Buffer; note: string }>`
    select number, size, root, note from region_checkpoint where epoch = ${epoch}
    order by number desc limit 1`.execute(api.db);
  return rows[0] ?? { number: 0, size: 0, root: Buffer.alloc(0), note: '' };
}

async function epochNow(): Promise<number> {
  return (await loadSealer(api.db)).epoch;
}

async function leavesOf(epoch: number) {
  const { rows } = await sql<{ data: string }>`
    select data from region_leaf where epoch = ${epoch} order by index`.execute(api.db);
  return rows.map(({ data }) => parseRegionLeaf(data));
}

beforeAll(async () => {
  await record(3);
  await ledger.seal();
});

beforeEach(async () => {
  if ((await stopped()) !== null) await beginEpoch(parts(), asCommanded);
  await ledger.seal();
});

describe('signing', () => {
  it('goes on after a restore to the point of the last checkpoint', async () => {
    const restore = await backUp();
    await restore();
    await record(2);
    await ledger.seal();
    expect(await stopped()).toBeNull();
  });

  it('stops after a restore to an earlier point, and nothing else does', async () => {
    const restore = await backUp();
    await record(2);
    await ledger.seal();
    await restore();
    const before = await newest(await epochNow());
    await record(5);
    await ledger.seal();
    expect(await stopped()).toMatch(
      /^Checkpoint \d+ in the object store has \d+ leaves, and the region log has \d+: PostgreSQL was restored to an earlier point$/,
    );
    expect((await newest(await epochNow())).number).toBe(before.number);
    const { rows } = await sql`
      select from org_log join ledger_head using (org_id, size) where org_id = ${api.org.id}`.execute(api.db);
    expect(rows).toHaveLength(1);
    await record(5);
    await ledger.seal();
    expect((await newest(await epochNow())).number).toBe(before.number);
  });

  it('stops if the log was continued differently, even if it is longer', async () => {
    const restore = await backUp();
    await record(2);
    await ledger.seal();
    await restore();
    // As if the sealer of a second cluster had gone on from the backup, with a copy of the objects.
    const apart = await givenSealedLedger(api.db, { objects: copyOfObjects(await newest(await epochNow())) });
    for (const org of ['other', 'another', 'third']) await api.givenOrg(org);
    await apart.seal();
    expect(await stopped()).toBeNull();
    const forged = await newest(await epochNow());
    await ledger.seal();
    expect(await stopped()).toBe(`Checkpoint ${forged.number} in PostgreSQL differs from the one in the object store`);

    // Nor does it help to remove the checkpoint from PostgreSQL.
    await sql`update sealer set stopped_at = null, stopped_because = null`.execute(api.owner);
    await sql`delete from region_checkpoint where number = ${forged.number} and epoch = ${await epochNow()}`.execute(
      api.owner,
    );
    await ledger.seal();
    expect(await stopped()).toMatch(
      new RegExp(`^Checkpoint ${forged.number} in the object store, of \\d+ leaves, is not extended`),
    );
  });

  it('takes over a checkpoint that was created and not stored', async () => {
    await record(1);
    const epoch = await epochNow();
    const { number } = await newest(epoch);
    await ledger.seal();
    const { note, size } = await newest(epoch);
    await sql`delete from region_checkpoint where epoch = ${epoch} and number = ${number + 1}`.execute(api.owner);
    await record(1);
    await ledger.seal();
    expect(await stopped()).toBeNull();
    const { rows } = await sql<{ note: string }>`
      select note from region_checkpoint where epoch = ${epoch} and size = ${size}`.execute(api.db);
    expect(rows).toEqual([{ note }]);
    expect((await newest(epoch)).number).toBe(number + 2);
  });

  it('stops if the leaves of the region log were changed', async () => {
    const epoch = await epochNow();
    await sql`
      update region_leaf set leaf_hash = sha256('other')
      where epoch = ${epoch} and index = (select max(size) - 1 from region_log where epoch = ${epoch})`.execute(
      api.owner,
    );
    await record(1);
    await ledger.seal();
    expect(await stopped()).toMatch(/^The region log does not extend checkpoint \d+, of \d+ leaves/);
  });

  it('stops if a checkpoint is missing from the object store', async () => {
    const epoch = await epochNow();
    const { number } = await newest(epoch);
    const path = checkpointPath(epoch, number);
    const content = await ledger.objects.read(path);
    await ledger.objects.remove(path);
    await record(1);
    await ledger.seal();
    expect(await stopped()).toBe(`Checkpoint ${number} is missing from the object store`);
    await ledger.objects.create(path, content ?? Buffer.alloc(0));
  });

  it('stops if something else is where the next checkpoint belongs', async () => {
    const epoch = await epochNow();
    const { number } = await newest(epoch);
    await ledger.objects.create(checkpointPath(epoch, number + 1), Buffer.from('mine\n'));
    await record(1);
    await ledger.seal();
    expect(await stopped()).toBe(`Checkpoint ${number + 1} in the object store is not one that this log signed`);
  });
});

describe('an epoch', () => {
  it('is begun by command only, and names the last checkpoint that the object store has', async () => {
    await expect(beginEpoch(parts(), asCommanded)).rejects.toThrow('Signing has not stopped');
    const restore = await backUp();
    const epoch = await epochNow();
    await record(2);
    await ledger.seal();
    const lost = await newest(epoch);
    await restore();
    await record(1);
    await ledger.seal();
    expect(await stopped()).not.toBeNull();
    const begun = await beginEpoch(parts(), asCommanded);
    const previous = { origin: `${LOG_NAME}/${epoch}`, root: lost.root.toString('hex'), size: lost.size };
    expect(begun).toEqual({ epoch: epoch + 1, origin: `${LOG_NAME}/${epoch + 1}`, previous });
    await ledger.seal();
    expect(await stopped()).toBeNull();
    const leaves = await leavesOf(epoch + 1);
    expect(leaves.slice(0, 2)).toEqual([
      { kind: 'epoch', epoch: epoch + 1, previous, reason: asCommanded.reason },
      { kind: 'keys', keys: verifierKeyTexts(`${LOG_NAME}/${epoch + 1}`, ledger.keys) },
    ]);
    const orgs = await sql<{ count: number }>`select count(org_id) as count from org_log`.execute(api.db);
    expect(leaves.filter(({ kind }) => kind === 'org')).toHaveLength(orgs.rows[0]?.count ?? 0);
    const { note } = await newest(epoch + 1);
    expect(parseSignedCheckpoint(note).checkpoint.origin).toBe(`${LOG_NAME}/${epoch + 1}`);
  });

  it('is never begun twice under one number, also if PostgreSQL forgot that it had begun', async () => {
    const restore = await backUp();
    const epoch = await epochNow();
    await beginEpoch(parts(), { ...asCommanded, whileSigning: true });
    await ledger.seal();
    const lost = await newest(epoch + 1);
    await restore();
    await record(1);
    await ledger.seal();
    expect(await stopped()).toMatch(/^The object store has a checkpoint of epoch \d+, and PostgreSQL is in epoch \d+/);
    const begun = await beginEpoch(parts(), asCommanded);
    expect(begun).toMatchObject({
      epoch: epoch + 2,
      previous: { origin: `${LOG_NAME}/${epoch + 1}`, size: lost.size },
    });
  });

  it('takes the place of the next checkpoint of the epoch before it', async () => {
    const epoch = await epochNow();
    const { number } = await newest(epoch);
    await beginEpoch(parts(), { ...asCommanded, whileSigning: true });
    expect(await ledger.objects.create(checkpointPath(epoch, number + 1), Buffer.from('late'))).toBe(false);
  });

  it('needs a reason in one line', async () => {
    for (const reason of ['', ' ', 'two\nlines', 'x'.repeat(1_001)])
      await expect(beginEpoch(parts(), { reason, whileSigning: true }), reason).rejects.toThrow('reason');
  });

  it('is not begun before the one before it has a checkpoint', async () => {
    await beginEpoch(parts(), { ...asCommanded, whileSigning: true });
    await expect(beginEpoch(parts(), { ...asCommanded, whileSigning: true })).rejects.toThrow('has no checkpoint yet');
    await ledger.seal();
  });
});

describe('keys', () => {
  it('are rotated: both are announced, and both sign', async () => {
    const [old] = ledger.keys;
    const fresh = await givenLogKey(2);
    if (!old) throw new Error('the ledger has no key');
    const both = await givenSealedLedger(api.db, { objects: ledger.objects, keys: [fresh, old] });
    await record(1);
    await both.seal();
    const epoch = await epochNow();
    const leaves = await leavesOf(epoch);
    expect(leaves.findLast(({ kind }) => kind === 'keys')).toEqual({
      ...{ kind: 'keys', keys: verifierKeyTexts(`${LOG_NAME}/${epoch}`, [fresh, old]) },
    });
    const { note } = parseSignedCheckpoint((await newest(epoch)).note);
    expect(note.signatures).toHaveLength(2);
  });
});
