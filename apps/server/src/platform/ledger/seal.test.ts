import {
  appendLeaves,
  EMPTY_EDGE,
  leafHashOf,
  orgLogOrigin,
  parseRegionLeaf,
  parseSignedCheckpoint,
  parseVerifierKey,
  regionOrigin,
  verifyNote,
} from '@waymark/transparency';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { isFull } from '../../../../../tools/test-size.ts';
import { findLedgerFaults } from '../../../test/given/ledger-faults.ts';
import { givenEntries } from '../../../test/given/proofs.ts';
import { givenSealedLedger, LOG_NAME } from '../../../test/given/sealed.ts';
import { noLog, startApi, type TestOrg } from '../../../test/harness.ts';
import { sequenceAll } from '../journal/pass.ts';
import { verifierKeyTexts } from './log-keys.ts';
import { takeOrgPass } from './org-pass.ts';
import { checkpointPath } from './region-checkpoints.ts';
import { isExtended } from './region-tree.ts';
import { sealAll } from './seal-all.ts';
import { fence, loadSealer, SealerReplaced } from './sealer-state.ts';

const api = await startApi();
const ledger = await givenSealedLedger(api.db);

async function record(org: TestOrg, count: number): Promise<void> {
  await givenEntries(api.db, [org.id], count);
}

const rootOf = (hashes: readonly Uint8Array[]) => appendLeaves(EMPTY_EDGE, hashes).root;

async function logOf(org: TestOrg) {
  const { rows } = await sql<{ log_id: string; size: number; root: Buffer; stopped_because: string | null }>`
    select log_id, size, root, stopped_because from org_log where org_id = ${org.id}`.execute(api.db);
  const leaves = await sql<{ leaf_hash: Buffer }>`
    select leaf_hash from ledger where org_id = ${org.id} order by index`.execute(api.db);
  const tiles = await sql<{ level: number; index: number; hashes: Buffer }>`
    select level, index, hashes from org_log_tile where org_id = ${org.id} order by level, index`.execute(api.db);
  const [log] = rows;
  if (!log) throw new Error('the org has no log');
  return { ...log, leaves: leaves.rows.map(({ leaf_hash }) => leaf_hash), tiles: tiles.rows };
}

async function checkpoints(epoch = 1) {
  const { rows } = await sql<{ number: number; size: number; root: Buffer; note: string }>`
    select number, size, root, note from region_checkpoint where epoch = ${epoch} order by number`.execute(api.db);
  return rows;
}

describe('the sealer', () => {
  it('builds the log of each org with the root and the tiles of its leaves', async () => {
    const org = await api.givenOrg('tiles');
    for (const count of [1, 250, 300, 2_000]) {
      await record(org, count);
      await ledger.seal();
      const { size, root, leaves } = await logOf(org);
      expect(size).toBe(leaves.length);
      expect(root).toEqual(Buffer.from(rootOf(leaves)));
    }
    const { size, leaves, tiles } = await logOf(org);
    const expected = Array.from({ length: Math.floor(size / 256) }, (_, i) =>
      rootOf(leaves.slice(i * 256, i * 256 + 256)),
    );
    expect(tiles).toEqual([{ level: 1, index: 0, hashes: Buffer.concat(expected) }]);
  });

  it('announces its keys first, then the head of each org by the random ID of its log', async () => {
    await ledger.seal();
    const { rows } = await sql<{ index: number; data: string; leaf_hash: Buffer }>`
      select index, data, leaf_hash from region_leaf where epoch = 1 order by index`.execute(api.db);
    expect(rows.map(({ index }) => index)).toEqual(rows.map((_, i) => i));
    const leaves = rows.map(({ data }) => parseRegionLeaf(data));
    expect(leaves[0]).toEqual({ kind: 'keys', keys: verifierKeyTexts(`${LOG_NAME}/1`, ledger.keys) });
    expect(rows.map(({ leaf_hash }) => leaf_hash)).toEqual(
      rows.map(({ data }) => Buffer.from(leafHashOf(Buffer.from(data)))),
    );
    const { log_id, size, root } = await logOf(api.org);
    expect(leaves.findLast((leaf) => leaf.kind === 'org' && leaf.log === log_id)).toEqual({
      ...{ kind: 'org', log: log_id, size, root: root.toString('hex') },
    });
    for (const { data } of rows) expect(data).not.toContain(api.org.id);
  });

  it('signs checkpoints that extend each other, first in the object store', async () => {
    await record(api.org, 3);
    await ledger.seal();
    await record(api.org, 300);
    await ledger.seal();
    await ledger.seal();
    const all = await checkpoints();
    expect(all.length).toBeGreaterThan(1);
    expect(all.map(({ number }) => number)).toEqual(all.map((_, i) => i + 1));
    const keys = verifierKeyTexts(regionOrigin(LOG_NAME, 1), ledger.keys).map(parseVerifierKey);
    for (const [i, { number, size, root, note }] of all.entries()) {
      const signed = parseSignedCheckpoint(note);
      expect(signed.checkpoint).toEqual({ origin: `${LOG_NAME}/1`, size, root: new Uint8Array(root), extensions: [] });
      expect((await verifyNote(signed.note, keys)).verified).toHaveLength(1);
      expect((await ledger.objects.read(checkpointPath(1, number)))?.toString()).toBe(note);
      const next = all[i + 1];
      if (next) expect(await isExtended(api.db, 1, { size, root }, next)).toBe(true);
    }
  });

  it('signs the head of each org under the name of its log', async () => {
    await ledger.seal();
    const { log_id, size, root } = await logOf(api.org);
    const { rows } = await sql<{ note: string; size: number }>`
      select note, size from org_log_checkpoint where org_id = ${api.org.id}`.execute(api.db);
    const origin = orgLogOrigin(`${LOG_NAME}/1`, log_id);
    const signed = parseSignedCheckpoint(rows[0]?.note ?? '');
    expect(signed.checkpoint).toEqual({ origin, size, root: new Uint8Array(root), extensions: [] });
    const keys = verifierKeyTexts(origin, ledger.keys).map(parseVerifierKey);
    expect((await verifyNote(signed.note, keys)).verified).toHaveLength(1);
  });

  it('gives an org with a long history its share, so that the others are sealed in the same pass', async () => {
    const [long, short] = [await api.givenOrg('long'), await api.givenOrg('short')];
    await record(long, isFull ? 100_000 : 20_000);
    await record(short, 5);
    await sequenceAll(api.db);
    const state = await loadSealer(api.db);
    const pass = await takeOrgPass(api.db, state);
    expect(pass.isMore).toBe(true);
    expect((await logOf(short)).size).toBeGreaterThanOrEqual(5);
    const { size, leaves } = await logOf(long);
    expect(size).toBeLessThan(leaves.length);
    await ledger.seal();
    const sealed = await logOf(long);
    expect(sealed.root).toEqual(Buffer.from(rootOf(sealed.leaves)));
  });

  it('lets one of two sealers write', async () => {
    await record(api.org, 5);
    await sequenceAll(api.db);
    const state = await loadSealer(api.db);
    await takeOrgPass(api.db, state);
    await record(api.org, 5);
    await sequenceAll(api.db);
    const before = await logOf(api.org);
    await expect(takeOrgPass(api.db, state)).rejects.toThrow(SealerReplaced);
    expect(await logOf(api.org)).toMatchObject({ size: before.size, root: before.root });
    await ledger.seal();
    await expect(api.db.transaction().execute((db) => fence(db, state))).rejects.toThrow(SealerReplaced);
  });

  it('stops the log of an org whose entry is missing, and seals the others', async () => {
    const [broken, whole] = [await api.givenOrg('broken'), await api.givenOrg('whole')];
    await ledger.seal();
    await record(broken, 5);
    await record(whole, 5);
    await sequenceAll(api.db);
    const { size } = await logOf(broken);
    await sql`delete from ledger where org_id = ${broken.id} and index = ${size + 2}`.execute(api.owner);
    await ledger.seal();
    expect(await logOf(broken)).toMatchObject({
      size,
      stopped_because: `Entry ${size + 2} is missing from the ledger, or is not where it was sequenced`,
    });
    const others = await logOf(whole);
    expect(others).toMatchObject({ size: others.leaves.length, stopped_because: null });
  });
});

it('keeps one tree when several sealers seal and sign at once', async () => {
  const orgs = await Promise.all(['red', 'green', 'blue'].map((name) => api.givenOrg(name)));
  const until = performance.now() + (isFull ? 30_000 : 1_500);
  const { objects, keys, name } = ledger;
  let replaced = 0;
  const sealOn = async () => {
    while (performance.now() < until) {
      try {
        await sealAll({ db: api.db, objects, keys, name, log: noLog });
      } catch (error) {
        if (!(error instanceof SealerReplaced)) throw error;
        replaced++;
      }
    }
  };
  const writeOn = async () => {
    while (performance.now() < until) {
      for (const org of orgs) await record(org, 3);
      await sequenceAll(api.db);
    }
  };
  await Promise.all([sealOn(), sealOn(), sealOn(), writeOn()]);
  await ledger.seal();
  expect(replaced).toBeGreaterThan(0);
  expect((await loadSealer(api.db)).stoppedBecause).toBeNull();
  const stopped = await sql<{ org_id: string }>`
    select org_id from org_log where stopped_because is not null`.execute(api.db);
  const faults = await findLedgerFaults(api.db, objects);
  expect(faults.filter((fault) => !stopped.rows.some(({ org_id }) => fault.startsWith(org_id)))).toEqual([]);
});
