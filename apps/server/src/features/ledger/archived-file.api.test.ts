import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillPath, getLedgerTile, getRegionTile } from '@waymark/contract';
import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { givenEntries } from '../../../test/given/proofs.ts';
import { givenSealedLedger } from '../../../test/given/sealed.ts';
import { startApi } from '../../../test/harness.ts';
import { directoryObjects } from '../../platform/blobs/directory-objects.ts';
import { archiveRound } from '../../platform/ledger/archive.ts';
import { NO_WITNESSES } from '../../platform/ledger/witness-policy.ts';

const root = await mkdtemp(join(tmpdir(), 'waymark-archived-'));
afterAll(() => rm(root, { recursive: true, force: true }));
const objects = directoryObjects({ root });
const api = await startApi({ ledger: { name: 'waymark.test/eu', witnesses: NO_WITNESSES, objects } });
const ledger = await givenSealedLedger(api.db, { objects });
const others = Array.from({ length: 300 }, (_, i) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`);

const PATHS = ['0/000', 'entries/000', '0/001', 'entries/001'];

async function read(url: string) {
  const headers = { authorization: `Bearer ${api.org.keys.reader}` };
  const { statusCode, rawPayload } = await api.app.http.inject({ url: `/api/v2${url}`, headers });
  expect(statusCode, url).toBe(200);
  return rawPayload;
}

const ofOrg = (path: string) => read(fillPath(getLedgerTile, (name) => (name === 'org' ? api.org.name : path)));
const ofRegion = (path: string) => read(fillPath(getRegionTile, (name) => (name === 'epoch' ? '1' : path)));

async function readAll(): Promise<Buffer[]> {
  const files = [...PATHS.map(ofOrg), ...PATHS.slice(0, 2).map(ofRegion)];
  return Promise.all(files);
}

it('serves full tiles and bundles from the archive, and from PostgreSQL what is not there', async () => {
  await givenEntries(api.owner, [api.org.id], 600);
  await givenEntries(api.owner, others, 1);
  await ledger.seal();
  const before = await readAll();
  while ((await archiveRound({ db: api.db, objects })).leaves > 0);
  expect(await readAll()).toEqual(before);

  // Only the archive has them now as they were.
  await sql`update ledger set leaf_hash = sha256('other') where org_id = ${api.org.id}`.execute(api.owner);
  await sql`update journal set type = 'test.changed' where org_id = ${api.org.id}`.execute(api.owner);
  await sql`update region_leaf set data = '{}', leaf_hash = sha256('other')`.execute(api.owner);
  expect(await readAll()).toEqual(before);

  await rm(join(root, 'ledger'), { recursive: true });
  const after = await readAll();
  expect(after.map((bytes, i) => before[i]?.equals(bytes))).toEqual(Array(6).fill(false));
});
