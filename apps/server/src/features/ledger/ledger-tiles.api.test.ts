import { fillPath, getLedger, getLedgerCheckpoint, getLedgerTile, roles } from '@waymark/contract';
import {
  appendLeaves,
  decodeEntries,
  EMPTY_EDGE,
  leafHashOf,
  parseLeaf,
  parseSignedCheckpoint,
  rootOfEdge,
  sameHash,
} from '@waymark/transparency';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { givenEntries, givenServedLedger, provenBy } from '../../../test/given/proofs.ts';
import { noLog, startApi, type TestOrg } from '../../../test/harness.ts';
import { systemCtx } from '../../platform/ctx.ts';
import { eraseEntry } from '../../platform/journal/erase.ts';

const api = await startApi();
const ledger = await givenServedLedger(api);
const large = await api.givenOrg('large');
const ENTRIES = 3_000;

const write = (org: TestOrg, count: number) => givenEntries(api.db, [org.id], count);

await write(large, ENTRIES);
await ledger.seal();

async function file(path: string, key = large.keys.reader, org = large.name) {
  const response = await api.app.http.inject({
    url: `/api/v2${fillPath(getLedgerTile, (name) => (name === 'org' ? org : path))}`,
    headers: key === '' ? {} : { authorization: `Bearer ${key}` },
  });
  return { status: response.statusCode, headers: response.headers, bytes: response.rawPayload };
}

async function checkpointOf(org: TestOrg) {
  const answer = await api.call(getLedgerCheckpoint, { params: { org: org.name }, key: org.keys.reader });
  expect(answer).toMatchObject({
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'private, no-cache' },
  });
  return parseSignedCheckpoint(answer.body).checkpoint;
}

function bundlePath(index: number, size: number): { path: string; width: number } {
  const width = Math.min(256, size - index * 256);
  const name = String(index).padStart(3, '0');
  return { path: width === 256 ? name : `${name}.p/${width}`, width };
}

it('serves the tree of 3,000 entries whole: leaves, their hashes, and the signed root', async () => {
  const { size, root, origin } = await checkpointOf(large);
  expect(size).toBeGreaterThan(ENTRIES);
  let edge = EMPTY_EDGE;
  for (let index = 0; index * 256 < size; index++) {
    const { path, width } = bundlePath(index, size);
    const leaves = decodeEntries((await file(`entries/${path}`)).bytes, width);
    const hashes = leaves.map((leaf) => leafHashOf(leaf));
    expect(Buffer.concat(hashes).equals((await file(`0/${path}`)).bytes), path).toBe(true);
    expect(parseLeaf(leaves[0] ?? '').id).toBeTypeOf('string');
    ({ edge } = appendLeaves(edge, hashes));
  }
  expect(sameHash(rootOfEdge(edge), root)).toBe(true);
  const upper = await file(`1/000.p/${Math.floor(size / 256)}`);
  expect(upper.bytes.length).toBe(Math.floor(size / 256) * 32);

  const status = await api.call(getLedger, { params: { org: large.name }, key: large.keys.reader });
  expect(status.body).toMatchObject({ size, origin, root: Buffer.from(root).toString('hex'), entries_waiting: 0 });
});

it('lets members cache full tiles for an hour, and partial ones not at all', async () => {
  for (const path of ['0/000', 'entries/000'])
    expect((await file(path)).headers['cache-control']).toBe('private, max-age=3600, immutable');
  for (const path of ['0/011.p/8', 'entries/011.p/8', '1/000.p/2'])
    expect((await file(path)).headers).toMatchObject({
      'cache-control': 'private, no-cache',
      'content-type': 'application/octet-stream',
    });
});

it('serves partial tiles of every earlier size, and none of a later one', async () => {
  const whole = (await file('0/000')).bytes;
  for (const width of [1, 8, 255]) {
    const part = await file(`0/000.p/${width}`);
    expect([part.status, part.bytes.equals(whole.subarray(0, width * 32))]).toEqual([200, true]);
  }
  const entries = await file('entries/000.p/3');
  expect(decodeEntries(entries.bytes, 3)).toHaveLength(3);
  for (const path of ['0/011.p/255', 'entries/011.p/255', '0/012', 'entries/x001/000', '1/001', '2/000.p/1', '63/000'])
    expect((await file(path)).status, path).toBe(404);
  for (const path of ['0/0', '0/000.p/256', '64/000', 'entries/1', 'x', '0/x000/001'])
    expect((await file(path)).status, path).toBe(400);
});

it('is for members of the org only, of any role', async () => {
  for (const role of roles) expect((await file('0/000', large.keys[role])).status, role).toBe(200);
  expect((await file('0/000', '')).status).toBe(401);
  expect((await file('0/000', api.org.keys.admin)).status).toBe(403);
  expect((await file('0/000', api.org.keys.admin, 'none')).status).toBe(403);
  for (const contract of [getLedger, getLedgerCheckpoint]) {
    expect((await api.call(contract, { params: { org: 'large' }, key: '' })).status).toBe(401);
    expect((await api.call(contract, { params: { org: 'large' } })).status).toBe(403);
  }
});

it('sends the leaf of an erased entry as it was', async () => {
  const before = (await file('entries/000')).bytes;
  const { rows } = await sql<{ id: string }>`
    select id from journal where org_id = ${large.id} order by seq offset 100 limit 1`.execute(api.owner);
  await eraseEntry(systemCtx(api.db, large.id, 'tests', noLog), rows[0]?.id ?? '', 'A request under the GDPR');
  expect((await file('entries/000')).bytes.equals(before)).toBe(true);
});

it('proves entries at all places of a tree that has grown since', async () => {
  const { rows } = await sql<{ entry_id: string; index: number }>`
    select entry_id, index from ledger
    where org_id = ${large.id} and index in (0, 1, 255, 256, 511, 2047, 2048, 2999) order by index`.execute(api.owner);
  expect(rows).toHaveLength(8);
  const first = await checkpointOf(large);
  for (const grown of [0, 1, 700]) {
    await write(large, grown);
    await ledger.seal();
    for (const { entry_id, index } of rows) {
      const proof = await provenBy(api, ledger.policy(), { entry: entry_id }, large);
      expect([proof.entry.index, proof.org.size]).toEqual([index, first.size]);
    }
  }
  expect((await checkpointOf(large)).size).toBe(first.size + 702);
});

it('has nothing of an org whose entries are not sealed', async () => {
  const fresh = await api.givenOrg('fresh');
  expect((await file('0/000.p/1', fresh.keys.reader, 'fresh')).status).toBe(404);
  const none = await api.call(getLedgerCheckpoint, { params: { org: 'fresh' }, key: fresh.keys.reader });
  expect(none.status).toBe(404);
  const status = await api.call(getLedger, { params: { org: 'fresh' }, key: fresh.keys.reader });
  expect(status).toMatchObject({ status: 200, body: { log_id: null, origin: null, size: 0, state: 'signed' } });
  expect(status.body.growth.every(({ entries }) => entries === 0)).toBe(true);
});
