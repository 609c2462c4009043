import { randomUUID } from 'node:crypto';
import { decodeEntries, entriesPath, leafHashOf, TILE_WIDTH, tilePath } from '@waymark/transparency';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { givenEntries } from '../../../test/given/proofs.ts';
import { givenSealedLedger } from '../../../test/given/sealed.ts';
import { startApi } from '../../../test/harness.ts';
import { archiveRound, orgArchive, regionArchive } from './archive.ts';

const api = await startApi();
const ledger = await givenSealedLedger(api.db);
const parts = { db: api.db, objects: ledger.objects };

async function record(count: number): Promise<void> {
  await givenEntries(api.db, [api.org.id], count);
}

/** An entry of as many orgs, so that their heads fill a tile of the region log. */
async function recordInOrgs(count: number): Promise<void> {
  const orgs = Array.from({ length: count }, () => randomUUID());
  await givenEntries(api.db, orgs, 1);
}

async function archiveAll(): Promise<void> {
  for (let last: string | undefined, isDone = false; !isDone; ) {
    const round = await archiveRound(parts, last);
    for (const { error } of round.failures) throw error;
    last = round.last;
    isDone = last === undefined && round.leaves === 0;
  }
}

async function prefixOfOrg(): Promise<string> {
  const { rows } = await sql<{ log_id: string }>`
    select log_id from org_log where org_id = ${api.org.id}`.execute(api.db);
  return orgArchive(rows[0]?.log_id ?? '', 1);
}

async function archivedSize(): Promise<number> {
  const { rows } = await sql<{ archived_size: number }>`
    select archived_size from org_log_checkpoint where org_id = ${api.org.id}`.execute(api.db);
  return rows[0]?.archived_size ?? Number.NaN;
}

describe('the archive', () => {
  it('has the full tiles and entry bundles that the newest checkpoint covers', async () => {
    await record(1_200);
    await ledger.seal();
    await archiveAll();
    const { rows } = await sql<{ leaf_hash: Buffer }>`
      select leaf_hash from ledger where org_id = ${api.org.id} order by index`.execute(api.db);
    const full = Math.floor(rows.length / TILE_WIDTH);
    expect(await archivedSize()).toBe(full * TILE_WIDTH);
    const prefix = await prefixOfOrg();
    for (let index = 0; index < full; index++) {
      const tile = await ledger.objects.read(`${prefix}/${tilePath({ level: 0, index })}`);
      const expected = rows.slice(index * TILE_WIDTH, (index + 1) * TILE_WIDTH).map(({ leaf_hash }) => leaf_hash);
      expect(tile?.equals(Buffer.concat(expected))).toBe(true);
      const bundle = await ledger.objects.read(`${prefix}/${entriesPath({ index })}`);
      const leaves = decodeEntries(bundle ?? Buffer.alloc(0), TILE_WIDTH);
      expect(leaves.map((leaf) => Buffer.from(leafHashOf(leaf)))).toEqual(expected);
    }
    expect(await ledger.objects.read(`${prefix}/${tilePath({ level: 0, index: full })}`)).toBeUndefined();
  });

  it('has those of the region log', async () => {
    await recordInOrgs(TILE_WIDTH);
    await ledger.seal();
    await archiveAll();
    const bundle = await ledger.objects.read(`${regionArchive(1)}/${entriesPath({ index: 0 })}`);
    const { rows } = await sql<{ data: string }>`
      select data from region_leaf where epoch = 1 order by index limit ${TILE_WIDTH}`.execute(api.db);
    const leaves = decodeEntries(bundle ?? Buffer.alloc(0), TILE_WIDTH);
    expect(leaves.map((leaf) => Buffer.from(leaf).toString())).toEqual(rows.map(({ data }) => data));
    expect(await ledger.objects.read(`${regionArchive(1)}/${tilePath({ level: 0, index: 0 })}`)).toBeDefined();
  });

  it('may be repeated, and replaces nothing', async () => {
    const path = `${await prefixOfOrg()}/${tilePath({ level: 0, index: 0 })}`;
    const before = await ledger.objects.read(path);
    await sql`update org_log_checkpoint set archived_size = 0 where org_id = ${api.org.id}`.execute(api.owner);
    await archiveAll();
    expect(await archivedSize()).toBeGreaterThan(0);
    expect(await ledger.objects.read(path)).toEqual(before);
  });

  it('does not take what was changed after it was sealed', async () => {
    await record(TILE_WIDTH);
    await ledger.seal();
    const size = await archivedSize();
    await sql`
      update journal set type = 'test.changed'
      from ledger where ledger.org_id = ${api.org.id} and ledger.index = ${size}
        and journal.org_id = ledger.org_id and journal.seq = ledger.entry_seq`.execute(api.owner);
    await expect(archiveAll()).rejects.toThrow('differs from the tree');
    expect(await archivedSize()).toBe(size);
  });

  it('goes on with the logs of other orgs when one fails', async () => {
    const org = await api.givenOrg('archived-beside');
    await givenEntries(api.db, [org.id], TILE_WIDTH);
    await ledger.seal();
    const { failures } = await archiveRound(parts);
    expect(failures).toMatchObject([{ error: { message: expect.stringContaining('differs from the tree') } }]);
    const { rows } = await sql<{ archived_size: number }>`
      select archived_size from org_log_checkpoint where org_id = ${org.id}`.execute(api.db);
    expect(rows[0]?.archived_size).toBe(TILE_WIDTH);
  });

  it('takes no object for its own that has another content', async () => {
    const other = await api.givenOrg('archived-elsewhere');
    await givenEntries(api.db, [other.id], TILE_WIDTH);
    await ledger.seal();
    const { rows } = await sql<{ log_id: string }>`select log_id from org_log where org_id = ${other.id}`.execute(
      api.db,
    );
    const path = `${orgArchive(rows[0]?.log_id ?? '', 1)}/${tilePath({ level: 0, index: 0 })}`;
    await ledger.objects.create(path, Buffer.alloc(8));
    const { failures } = await archiveRound(parts);
    expect(failures.map(({ error }) => String(error))).toContain(
      `Error: ${path} is in the object store with another content`,
    );
  });
});
