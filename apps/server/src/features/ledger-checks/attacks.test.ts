import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  buildConsistencyProof,
  COSIGNATURE,
  formatAddCheckpoint,
  type Hash,
  nodeHashOf,
  parsePolicy,
  parseSignedCheckpoint,
  signerOf,
  signingKey,
  verifyExtension,
} from '@waymark/transparency';
import { sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { givenEverything } from '../../../test/given/everything.ts';
import { attest, givenFlow } from '../../../test/given/evidence.ts';
import { givenPerson } from '../../../test/given/people.ts';
import { givenSealedLedger } from '../../../test/given/sealed.ts';
import { startApi, type TestOrg } from '../../../test/harness.ts';
import { directoryObjects } from '../../platform/blobs/directory-objects.ts';
import type { Db } from '../../platform/db/db.ts';
import { digestOf } from '../../platform/journal/entry.ts';
import { LEAF_HASH } from '../../platform/journal/leaf.ts';
import { checkpointPath } from '../../platform/ledger/region-checkpoints.ts';
import { createWitness } from '../../platform/witness/witness.ts';
import { openWitnessState } from '../../platform/witness/witness-state.ts';
import type { LedgerDifference } from './difference.ts';
import { BEGINNING, type CheckPlace, checkPage, checkRest, listCheckedOrgs } from './ledger-check.service.ts';
import { compareRegionLogs } from './trees/compare-region-log.ts';

const api = await startApi();
const root = await mkdtemp(join(tmpdir(), 'waymark-attacks-'));
afterAll(() => rm(root, { recursive: true, force: true }));
const objects = directoryObjects({ root: join(root, 'objects') });
const ledger = await givenSealedLedger(api.db, { objects });
await givenEverything(api);
await givenPerson(api, { org: api.org, role: 'admin', login: 'mallory' });
await ledger.seal();
const [yesterday] = await newestCheckpoint(api.db);
await givenFlow(api, 'today', 'version: 1\n');
for (const name of ['one', 'two', 'three'])
  await attest(api, 'today', 'release', { attestation_name: name, is_compliant: false });
await ledger.seal();

async function newestCheckpoint(db: Db): Promise<[string, number]> {
  const { rows } = await sql<{ note: string; number: number }>`
    select note, number from region_checkpoint where epoch = 1 order by number desc limit 1`.execute(db);
  return [rows[0]?.note ?? '', rows[0]?.number ?? 0];
}

class Undo extends Error {}

/** All that `waymark-server ledger check` prints after an attack, which is undone. */
async function foundAfter(
  attack: (db: Db, org: TestOrg) => Promise<unknown>,
  stored: string[] = [],
): Promise<LedgerDifference[]> {
  const found: LedgerDifference[] = [];
  await api.owner
    .transaction()
    .execute(async (db) => {
      await sql`set local session_replication_role = replica`.execute(db);
      await attack(db, api.org);
      await check(db, found, stored);
      throw new Undo();
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undo)) throw error;
    });
  return found;
}

async function check(db: Db, found: LedgerDifference[], stored: string[] = []): Promise<void> {
  const onDifference = (difference: LedgerDifference) => {
    found.push(difference);
  };
  const parts = { db, blobs: api.parts.blobs, onDifference };
  for (const org of await listCheckedOrgs(db)) {
    let place: CheckPlace = BEGINNING;
    for (let next: CheckPlace | undefined = BEGINNING; next; next = await checkPage(parts, org, place)) place = next;
    await checkRest(parts, org);
  }
  await compareRegionLogs({ db, objects, onDifference, stored });
}

/** Table and column of each difference, without repetitions. */
function placesOf(found: readonly LedgerDifference[]): string[] {
  return [...new Set(found.map(({ table, column }) => (column === null ? table : `${table}.${column}`)))].sort();
}

/** The newest attestation of today, which failed. */
async function failedToday(db: Db): Promise<{ id: string; seq: number; index: number }> {
  const { rows } = await sql<{ id: string; seq: number; index: number }>`
    select attestation.id, ledger.entry_seq as seq, ledger.index from attestation
    join ledger on ledger.org_id = attestation.org_id and ledger.subject_id = attestation.id
    where attestation.org_id = ${api.org.id} and name = 'three'`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('there is no attestation');
  return row;
}

const passSql = (db: Db, id: string) =>
  sql`update attestation set is_compliant = true where org_id = ${api.org.id} and id = ${id}`.execute(db);

/** Writes another payload with a digest that fits it, as the service would have. */
async function rewritePayload(
  db: Db,
  seq: number,
  change: (payload: Record<string, unknown>) => object,
): Promise<void> {
  const { rows } = await sql<{ payload: string; nonce: Buffer }>`
    select payload, nonce from journal where org_id = ${api.org.id} and seq = ${seq}`.execute(db);
  const [{ payload, nonce } = { payload: '{}', nonce: Buffer.alloc(32) }] = rows;
  const rewritten = JSON.stringify(change(JSON.parse(payload) as Record<string, unknown>));
  await sql`
    update journal set payload = ${rewritten}, payload_digest = ${digestOf(rewritten, nonce)}
    where org_id = ${api.org.id} and seq = ${seq}`.execute(db);
}

const rehash = (db: Db, seq: number) =>
  sql`
    update ledger set leaf_hash = (
      select ${sql.raw(LEAF_HASH)} from journal where org_id = ${api.org.id} and seq = ${seq})
    where org_id = ${api.org.id} and entry_seq = ${seq}`.execute(db);

const run = (text: string) => async (db: Db, org: TestOrg) => {
  const { numAffectedRows } = await sql.raw(text.replaceAll('$org', `'${org.id}'`)).execute(db);
  expect(numAffectedRows, 'rows that the attack changed').toBeGreaterThan(0n);
};

it('finds nothing before an attack', async () => {
  expect(await foundAfter(async () => undefined, [yesterday])).toEqual([]);
});

describe('waymark-server ledger check names', () => {
  it('a verdict that was changed, whose entry was deleted', async () => {
    const found = await foundAfter(async (db) => {
      const { id, seq } = await failedToday(db);
      await passSql(db, id);
      await sql`delete from journal where org_id = ${api.org.id} and seq = ${seq}`.execute(db);
    });
    expect(placesOf(found)).toContain('journal');
    expect(found.find(({ table }) => table === 'journal')?.says).toBe('is missing');
  });

  it('a verdict that was changed, whose entry and place in the ledger were deleted', async () => {
    const found = await foundAfter(async (db) => {
      const { id, seq } = await failedToday(db);
      await passSql(db, id);
      await sql`delete from journal where org_id = ${api.org.id} and seq = ${seq}`.execute(db);
      await sql`delete from ledger where org_id = ${api.org.id} and entry_seq = ${seq}`.execute(db);
      await sql`update ledger_head set size = size - 1 where org_id = ${api.org.id}`.execute(db);
    });
    expect(placesOf(found)).toEqual(expect.arrayContaining(['attestation', 'ledger']));
  });

  it('a verdict that was changed with its entry', async () => {
    const found = await foundAfter(async (db) => {
      const { id, seq } = await failedToday(db);
      await passSql(db, id);
      await rewritePayload(db, seq, (payload) => ({ ...payload, is_compliant: true }));
    });
    expect(found.map(({ says }) => says)).toContain('does not have the hash of its leaf in the ledger');
  });

  it('a verdict that was changed with its entry and its leaf', async () => {
    const found = await foundAfter(async (db) => {
      const { id, seq } = await failedToday(db);
      await passSql(db, id);
      await rewritePayload(db, seq, (payload) => ({ ...payload, is_compliant: true }));
      await rehash(db, seq);
    });
    expect(placesOf(found)).toEqual(expect.arrayContaining(['ledger.leaf_hash', 'org_log.root']));
  });

  it('entries of every kind that were emptied with their digests and leaves, and what else was changed', async () => {
    const { rows } = await sql<{ seq: number }>`
      select distinct on (type) seq from journal where org_id = ${api.org.id} order by type, seq`.execute(api.db);
    for (const emptied of [{}, null, { index: 'x', part: 1, parts: 1, content: null, changes: 7 }]) {
      const found = await foundAfter(async (db) => {
        await passSql(db, (await failedToday(db)).id);
        for (const { seq } of rows) {
          await rewritePayload(db, seq, () => emptied as object);
          await rehash(db, seq);
        }
      });
      expect(placesOf(found)).toEqual(expect.arrayContaining(['attestation.is_compliant', 'org_log.root']));
    }
  });

  it('entries that were dropped from the end of an org', async () => {
    const found = await foundAfter(async (db) => {
      const { index } = await failedToday(db);
      await sql`
        delete from journal where org_id = ${api.org.id} and seq in (
          select entry_seq from ledger where org_id = ${api.org.id} and index >= ${index})`.execute(db);
      await sql`delete from attestation where org_id = ${api.org.id} and name = 'three'`.execute(db);
      await sql`delete from ledger where org_id = ${api.org.id} and index >= ${index}`.execute(db);
      await sql`update ledger_head set size = ${index} where org_id = ${api.org.id}`.execute(db);
    });
    expect(found.map(({ says }) => says)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^the region log announced \d+ entries, and \d+ are left$/)]),
    );
  });

  it('evidence that was dated back', async () => {
    const found = await foundAfter(async (db) => {
      const { id, seq } = await failedToday(db);
      await sql`update attestation set created_at = created_at - interval '30 days' where org_id = ${api.org.id} and id = ${id}`.execute(
        db,
      );
      await sql`update journal set recorded_at = recorded_at - interval '30 days' where org_id = ${api.org.id} and seq = ${seq}`.execute(
        db,
      );
    });
    expect(found.map(({ says }) => says)).toContain('does not have the hash of its leaf in the ledger');
  });

  it('an entry that was inserted into the past', async () => {
    const found = await foundAfter(async (db) => {
      await sql`
        insert into journal (seq, org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind, subject_id,
          subject_seq, payload, nonce, payload_digest)
        select -1, org_id, gen_random_uuid(), recorded_at - interval '1 year', type, version, actor_kind, actor_name,
          subject_kind, gen_random_uuid(), 1, payload, nonce, payload_digest
        from journal where org_id = ${api.org.id} and type = 'attestation.recorded' limit 1`.execute(db);
    });
    expect(found.map(({ says }) => says)).toEqual([
      '(attestation.recorded) is not in the ledger, although the sequencer has passed it',
    ]);
  });

  it('two entries that changed places', async () => {
    const found = await foundAfter(async (db) => {
      const { index } = await failedToday(db);
      await sql`
        update ledger as one set entry_seq = other.entry_seq, entry_id = other.entry_id, subject_id = other.subject_id,
          leaf_hash = other.leaf_hash
        from ledger as other
        where one.org_id = ${api.org.id} and other.org_id = ${api.org.id}
          and one.index in (${index}, ${index - 1}) and other.index = ${2 * index - 1} - one.index`.execute(db);
    });
    expect(placesOf(found)).toEqual(expect.arrayContaining(['ledger.leaf_hash', 'org_log.root']));
  });

  it('content that was erased without an entry', async () => {
    const found = await foundAfter(async (db) => {
      const { seq } = await failedToday(db);
      await sql`
        update journal set payload = null, nonce = null,
          actor_digest = sha256(nonce || convert_to(actor_name, 'UTF8'))
        where org_id = ${api.org.id} and seq = ${seq}`.execute(db);
    });
    expect(placesOf(found)).toEqual(['journal.payload']);
    expect(found[0]?.says).toBe('was erased without an entry');
  });

  it('a member whose removal was deleted', async () => {
    await api.db.selectFrom('membership').selectAll().where('org_id', '=', api.org.id).execute();
    const found = await foundAfter(
      run(`
        with forged as (
          delete from journal where org_id = $org and type = 'membership.added' and payload like '%mallory%'
          returning subject_id)
        update membership set role = 'reader' where org_id = $org and user_id in (select subject_id from forged)`),
    );
    expect(placesOf(found)).toContain('journal');
  });

  it.each([
    [
      'the expiry of a waiver',
      `update waiver set expires_at = now() + interval '9 years' where org_id = $org`,
      'waiver.expires_at',
    ],
    [
      'who approved an artifact',
      `update approval set created_by = 'mallory' where org_id = $org`,
      'approval.created_by',
    ],
    [
      'the reviewer of an artifact',
      `update approval set reviewer = 'mallory' where org_id = $org`,
      'approval.reviewer',
    ],
    ['who granted a waiver', `update waiver set created_by = 'mallory' where org_id = $org`, 'waiver.created_by'],
    [
      'the text of a policy',
      `update policy_version set policy_yaml = replace(policy_yaml, 'required: true', 'required: false') where org_id = $org`,
      'policy_version.policy_yaml',
    ],
    [
      'the fingerprint of an artifact',
      `update artifact set fingerprint = repeat('f', 64) where org_id = $org`,
      'artifact.fingerprint',
    ],
    ['the role of a member', `update membership set role = 'reader' where org_id = $org`, 'membership.role'],
    [
      'the reasons of a verdict',
      `update attestation set verdict = '{"judged_by":{},"read":null,"reasons":[]}' where org_id = $org`,
      'attestation.verdict',
    ],
    ['a tag that decides which policy applies', `update tag set value = 'low' where org_id = $org`, 'tag.value'],
    ['a policy that was detached', `delete from environment_policy where org_id = $org`, 'environment_policy'],
    [
      'a verdict in a snapshot',
      `update running_verdict set compliance = 'compliant' where org_id = $org`,
      'running_verdict',
    ],
    ['what ran', `update running set fingerprint = repeat('9', 64) where org_id = $org`, 'running'],
    [
      'a legal hold that was lifted',
      `update legal_hold set lifted_at = now(), lifted_by = 'x', lift_reason = 'x' where org_id = $org`,
      'legal_hold.lifted_at',
    ],
    [
      'a retention minimum',
      `update retention_setting set minimum_years = 0 where org_id = $org`,
      'retention_setting.minimum_years',
    ],
    ['a trusted key', `update trusted_key set public_key = 'x' where org_id = $org`, 'trusted_key.public_key'],
    [
      'evidence that was invented',
      `insert into attestation select org_id, gen_random_uuid(), receipt + 1000000, flow_id, trail_id, name, type, type_version, counts_as, true, fingerprint, target_artifact, commit_sha, branch, repository_id, overrides_id, control, trust, workload, content, verdict, attachment_sha256, attachment_name, attachment_size, created_at, claimed_at, created_by from attestation where org_id = $org limit 1`,
      'attestation',
    ],
  ])('%s', async (_, statement, place) => {
    expect(placesOf(await foundAfter(run(statement)))).toContain(place);
  });

  it('an org that was deleted', async () => {
    const other = await api.givenOrg(`gone-${Date.now()}`);
    await ledger.seal();
    const found = await foundAfter(async (db) => {
      for (const table of ['journal', 'ledger', 'ledger_head', 'org_log', 'org_log_tile', 'org_log_checkpoint'])
        await sql`delete from ${sql.id(table)} where org_id = ${other.id}`.execute(db);
      await sql`delete from org where id = ${other.id}`.execute(db);
    });
    expect(found.map(({ says }) => says)).toContainEqual(
      expect.stringMatching(/^is [0-9a-f-]{36}, the log of an org that does not exist any more$/),
    );
  });

  it('two attached files that changed places', async () => {
    const { rows } = await sql<{ sha256: string }>`
      select distinct attachment_sha256 as sha256 from attestation
      where org_id = ${api.org.id} and attachment_sha256 is not null limit 2`.execute(api.db);
    const files = await pathsOf(rows.map(({ sha256 }) => sha256));
    await swap(files);
    const found = await foundAfter(async () => undefined);
    await swap(files);
    expect(new Set(found.map(({ row }) => row))).toEqual(new Set(rows.map(({ sha256 }) => sha256)));
    expect(placesOf(found)).toEqual(['object']);
  });

  it('a checkpoint that was replaced in the object store, and one that was replaced here', async () => {
    const [note, number] = await newestCheckpoint(api.db);
    const forged = note.replace(/\n\d+\n/, '\n1\n');
    await objects.overwrite(checkpointPath(1, number), Buffer.from(forged));
    const inObjects = await foundAfter(async () => undefined);
    await objects.overwrite(checkpointPath(1, number), Buffer.from(note));
    expect(placesOf(inObjects)).toEqual(['object']);
    const here = await foundAfter((db) =>
      sql`update region_checkpoint set note = ${forged} where number = ${number}`.execute(db),
    );
    expect(placesOf(here)).toEqual(['object', 'region_checkpoint.note']);
  });

  it('leaves of the region log that were changed, also with their hashes', async () => {
    const found = await foundAfter(async (db) => {
      await sql`update region_leaf set data = replace(data, '"size":', '"size":1') where index = 1`.execute(db);
    });
    expect(placesOf(found)).toEqual(expect.arrayContaining(['region_leaf.leaf_hash', 'region_leaf.size']));
    const rehashed = await foundAfter(async (db) => {
      await sql`update region_leaf set leaf_hash = sha256('\\x00' || convert_to(data || ' ', 'UTF8')), data = data || ' ' where index = 1`.execute(
        db,
      );
    });
    expect(placesOf(rehashed)).toEqual(expect.arrayContaining(['region_log.root', 'region_checkpoint.root']));
  });

  it('a database that was restored to an earlier point', async () => {
    const [, number] = await newestCheckpoint(api.db);
    const found = await foundAfter(async (db) => {
      await sql`delete from region_checkpoint where number = ${number}`.execute(db);
    });
    expect(found.map(({ row, says }) => `${row} ${says}`)).toContain(
      `${checkpointPath(1, number)} is a later checkpoint than the last one in PostgreSQL`,
    );
  });
});

async function pathsOf(names: readonly string[]): Promise<[string, string]> {
  const { blobRoot: blobs } = api;
  const files = await readdir(blobs, { recursive: true });
  const [one, other] = names.map((name) => files.find((file) => file.includes(name)));
  if (!one || !other) throw new Error('the files were not found');
  return [join(blobs, one), join(blobs, other)];
}

async function swap([one, other]: [string, string]): Promise<void> {
  await rename(one, `${one}.tmp`);
  await rename(other, one);
  await rename(`${one}.tmp`, other);
}

describe('once all was written anew and signed with the key of today', () => {
  it('who stored a checkpoint sees it, witnesses refuse it, and a check without one finds nothing', async () => {
    const witness = await givenWitness();
    expect(await witness.addCheckpoint(await request(0))).toMatchObject({ kind: 'cosigned' });
    const stored = await newestCheckpoint(api.db);
    const { size: storedSize } = parseSignedCheckpoint(stored[0]).checkpoint;

    const { id, seq } = await failedToday(api.owner);
    await passSql(api.owner, id);
    await rewritePayload(api.owner, seq, (payload) => ({ ...payload, is_compliant: true }));
    await rehash(api.owner, seq);
    for (const table of [
      'org_log',
      'org_log_tile',
      'org_log_checkpoint',
      'region_log',
      'region_leaf',
      'region_tile',
      'region_checkpoint',
    ])
      await sql`delete from ${sql.id(table)}`.execute(api.owner);
    await sql`update sealer set pass = 0, sealed = 0, stopped_at = null, stopped_because = null`.execute(api.owner);
    await rm(join(root, 'objects'), { recursive: true });
    await ledger.seal();
    for (let extra = 0; (await leafHashes()).length < storedSize; extra++) {
      await givenFlow(api, `filler-${extra}`, 'version: 1\n');
      await ledger.seal();
    }

    const without: LedgerDifference[] = [];
    await check(api.owner, without);
    expect(without).toEqual([]);
    const withStored: LedgerDifference[] = [];
    await check(api.owner, withStored, [stored[0]]);
    expect(withStored.map(({ table }) => table)).toEqual(['region_leaf']);
    const { checkpoint: old } = parseSignedCheckpoint(stored[0]);
    const [note] = await newestCheckpoint(api.db);
    const { checkpoint: next } = parseSignedCheckpoint(note);
    expect(verifyExtension(old, next, await proof(old.size, next.size))).toBe(false);
    expect(await witness.addCheckpoint(await request(old.size))).toMatchObject({ kind: 'inconsistent' });
  });
});

async function givenWitness() {
  const key = await signingKey('witness.test/w', COSIGNATURE, Buffer.alloc(32, 9));
  const state = await openWitnessState(await mkdtemp(join(root, 'witness-')));
  return createWitness({
    signer: signerOf(key),
    policy: parsePolicy(Buffer.from(ledger.policy())),
    state,
    now: () => new Date(),
  });
}

async function leafHashes(): Promise<Buffer[]> {
  const { rows } = await sql<{ leaf_hash: Buffer }>`
    select leaf_hash from region_leaf where epoch = 1 order by index`.execute(api.db);
  return rows.map(({ leaf_hash }) => leaf_hash);
}

async function proof(oldSize: number, size: number): Promise<readonly Hash[]> {
  const leaves = await leafHashes();
  const node = (level: number, index: number): Hash =>
    level === 0
      ? (leaves[index] ?? Buffer.alloc(32))
      : nodeHashOf(node(level - 1, 2 * index), node(level - 1, 2 * index + 1));
  return oldSize === 0 || oldSize === size ? [] : buildConsistencyProof(oldSize, size, node);
}

/** The body with which the newest checkpoint is sent to a witness that knows one of `oldSize` leaves. */
async function request(oldSize: number): Promise<Buffer> {
  const [note] = await newestCheckpoint(api.db);
  const signed = parseSignedCheckpoint(note);
  return Buffer.from(formatAddCheckpoint({ oldSize, proof: await proof(oldSize, signed.checkpoint.size), signed }));
}
