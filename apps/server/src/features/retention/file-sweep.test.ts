import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { attestGeneric } from '@waymark/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isFull } from '../../../../../tools/test-size.ts';
import { drivers, type TestBlobs } from '../../../test/blobs/drivers.ts';
import { attestationIdOf } from '../../../test/given/evidence.ts';
import { holdRows } from '../../../test/given/held-rows.ts';
import { countHeldUp } from '../../../test/given/held-up.ts';
import { noLog, startApi, type TestOrg } from '../../../test/harness.ts';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import { systemCtx } from '../../platform/ctx.ts';
import { recognizeFile, storeFile } from '../../platform/http/evidence-file.ts';
import { sweepFiles } from './file-sweep.service.ts';

const ROUNDS = isFull ? 200 : 6;
const DAY_MS = 24 * 3_600_000;
/** A file that goes to the store chunk by chunk holds no memory. */
const HOLD = (() => undefined) as never;
const api = await startApi();
let count = 0;
let org: TestOrg;
let now = new Date();
beforeEach(async () => {
  org = await api.givenOrg(`swept-${++count}`);
});

const pass = (days: number) => {
  now = new Date(now.getTime() + days * DAY_MS);
};
const ctxOf = () => ({ ...systemCtx(api.db, org.id, 'tests', noLog), now: () => now });
const digestOf = (content: string) => hash('sha256', content);
const bytesOf = async function* (content: string) {
  yield Buffer.from(content);
};
const fileRow = (content: string) =>
  api.db
    .selectFrom('evidence_file')
    .selectAll()
    .where('org_id', '=', org.id)
    .where('sha256', '=', digestOf(content))
    .executeTakeFirst();
const fileBytes = async () =>
  (await api.db.selectFrom('org_storage').select('file_bytes').where('org_id', '=', org.id).executeTakeFirst())
    ?.file_bytes;

/** An attestation refers to the file from now on. */
async function refer(content: string): Promise<string> {
  const answer = await api.call(attestGeneric, {
    params: { org: org.name, flow_name: 'f', trail_name: 't' },
    key: org.keys.admin,
    body: { attestation_name: 'x', is_compliant: true },
  });
  const id = attestationIdOf(answer);
  await sql`
    update attestation set attachment_sha256 = ${digestOf(content)}, attachment_name = 'f', attachment_size = 1
    where org_id = ${org.id} and id = ${id}`.execute(api.db);
  return id;
}
const forget = (content: string) =>
  sql`update attestation set attachment_sha256 = null, attachment_name = null, attachment_size = null
    where org_id = ${org.id} and attachment_sha256 = ${digestOf(content)}`.execute(api.db);

describe.each(drivers)('files in $name', ({ name, given }) => {
  let test: TestBlobs;
  beforeAll(async () => {
    test = await given();
  });
  afterAll(() => test.close());

  const sweep = (blobs: BlobStore = test.blobs, more: object = {}) =>
    sweepFiles({ db: api.db, blobs, log: noLog, now: () => now, ...more });
  const upload = (content: string) => storeFile(test.blobs, ctxOf(), 1e6)('f', bytesOf(content), HOLD);
  const read = async (content: string) => {
    const found = await test.blobs.open(org.id, digestOf(content));
    return found && (await buffer(found.stream)).toString();
  };
  const generations = async (content: string) =>
    (await test.blobs.list(org.id, '', 1_000))
      .filter(({ sha256 }) => sha256 === digestOf(content))
      .map(({ generation }) => generation);

  it('go after a week if nothing refers to them, and what is referred to stays', async () => {
    await upload('orphan');
    await upload('evidence');
    await refer('evidence');
    pass(6);
    await sweep();
    expect([await read('orphan'), await read('evidence')]).toEqual(['orphan', 'evidence']);
    pass(2);
    await sweep();
    expect([await read('orphan'), await read('evidence')]).toEqual([undefined, 'evidence']);
    expect((await fileRow('orphan'))?.removed_at).toEqual(now);
    pass(2);
    await sweep();
    expect([await fileRow('orphan'), await fileBytes()]).toEqual([undefined, 'evidence'.length]);
  });

  it('are kept as long as a change request waits that has them', async () => {
    await upload('asked for');
    const sha256 = digestOf('asked for');
    await sql`
      insert into change_request (org_id, id, operation, input, input_sha256, subject_kind, subject_name, least_role,
        asked_by, actor_kind, actor_id, actor_name, credential_id, asked_at, expires_at, state)
      select ${org.id}, id, 'attestOverride', ${JSON.stringify({ file: { sha256 } })}, 'x', 'trail', 't', 'member', id,
        'user', id, 'ada', id, now(), now(), 'pending' from gen_random_uuid() as id`.execute(api.owner);
    pass(9);
    await sweep();
    expect(await read('asked for')).toBe('asked for');
    await sql`update change_request set input = '' where org_id = ${org.id}`.execute(api.owner);
    pass(2);
    await sweep();
    expect(await read('asked for')).toBeUndefined();
  });

  it('are stored again under the next generation while they are removed', async () => {
    await upload('twice');
    pass(9);
    const marked = Promise.withResolvers<void>();
    const removal = Promise.withResolvers<void>();
    const late: BlobStore = {
      ...test.blobs,
      async remove(...blob) {
        marked.resolve();
        await removal.promise;
        await test.blobs.remove(...blob);
      },
    };
    const sweeping = sweep(late);
    await marked.promise;
    await upload('twice');
    expect(await generations('twice')).toEqual([0, 1]);
    await refer('twice');
    removal.resolve();
    await sweeping;
    expect([await generations('twice'), await read('twice')]).toEqual([[1], 'twice']);
    expect(await fileRow('twice')).toMatchObject({ generation: 1, removing_since: null, removed_at: null });
    // However late it is.
    await test.blobs.remove(org.id, digestOf('twice'), 0);
    pass(30);
    await sweep();
    expect([await read('twice'), await fileBytes()]).toEqual(['twice', 'twice'.length]);
  });

  it.each(['the claim', 'the sweep'])('are kept if %s comes first', async (first) => {
    await upload('contested');
    pass(9);
    const release = await holdRows(api.owner, sql`select from evidence_file where org_id = ${org.id} for update`);
    const steps = [() => sweep(), () => upload('contested')];
    const begun: Promise<unknown>[] = [];
    for (const step of first === 'the claim' ? steps.toReversed() : steps) {
      begun.push(step());
      await expect.poll(() => countHeldUp(api.owner), { interval: 5 }).toBe(begun.length);
    }
    await release();
    await Promise.all(begun);
    await refer('contested');
    pass(30);
    await sweep();
    await sweep();
    expect([await read('contested'), await generations('contested')]).toEqual([
      'contested',
      [first === 'the claim' ? 0 : 1],
    ]);
  });

  it(`are never lost in ${ROUNDS} rounds of uploads and sweeps at the same time`, async () => {
    const contents = Array.from({ length: 5 }, (_, i) => `content ${i}`);
    const referred = new Set<string>();
    const uploadAndRefer = async (content: string) => {
      await sleep(Math.random() * 20);
      await upload(content);
      await sleep(Math.random() * 20);
      await refer(content);
      referred.add(content);
    };
    const sweepSoon = () => sleep(Math.random() * 20).then(() => sweep());
    for (let round = 0; round < ROUNDS; round++) {
      pass(8);
      const uploaded = contents.filter(() => Math.random() < 0.6);
      await Promise.all([...uploaded.map(uploadAndRefer), sweepSoon(), sweepSoon()]);
      for (const content of referred) expect(await read(content)).toBe(content);
      for (const content of contents.filter(() => Math.random() < 0.4)) {
        await forget(content);
        referred.delete(content);
      }
    }
    pass(8);
    await sweep();
    for (const content of contents) expect(await read(content)).toBe(referred.has(content) ? content : undefined);
  });

  it('are found and removed when nothing is known about them, as after a restore', async () => {
    await upload('forgotten');
    await upload('replaced');
    await test.blobs.put(org.id, bytesOf('replaced'), { maxBytes: 100, claim: async () => 1 });
    await upload('referred');
    await refer('referred');
    await sql`delete from evidence_file where org_id = ${org.id} and sha256 <> ${digestOf('replaced')}`.execute(api.db);
    await sql`update evidence_file set generation = 1 where org_id = ${org.id}`.execute(api.db);
    await refer('replaced');
    now = new Date(Math.max(now.getTime(), Date.now()));
    pass(9);
    // In pages of one, the org is swept until it is done.
    await sweep(test.blobs, { pageSize: 1 });
    await sweep(test.blobs, { pageSize: 1 });
    pass(2);
    await sweep(test.blobs, { pageSize: 1 });
    expect(await read('forgotten')).toBeUndefined();
    expect([await read('referred'), await read('replaced')]).toEqual(['referred', 'replaced']);
    expect(await generations('replaced')).toEqual([1]);
    expect(await fileRow('referred')).toMatchObject({ size: 'referred'.length, generation: 0 });
  });

  it('count as stored for an org over its quota only if they are there', async () => {
    await upload('known');
    const recognize = (content: string) =>
      recognizeFile(test.blobs, ctxOf(), { bytes: 1, rows: 1, quotaBytes: 1, quotaRows: 1 })(
        'f',
        bytesOf(content),
        HOLD,
      );
    expect(await recognize('known')).toMatchObject({ size: 'known'.length });
    await sql`update evidence_file set generation = 1 where org_id = ${org.id}`.execute(api.db);
    await expect(recognize('known')).rejects.toThrow();
  });

  it('do not keep each other when one cannot be removed', async () => {
    await upload('stuck');
    await upload('free');
    pass(9);
    const failing: BlobStore = {
      ...test.blobs,
      async remove(org, sha256, generation) {
        if (sha256 === digestOf('stuck')) throw new Error('locked');
        await test.blobs.remove(org, sha256, generation);
      },
    };
    await expect(sweep(failing)).rejects.toThrow('locked');
    expect([await read('stuck'), await read('free')]).toEqual(['stuck', undefined]);
    await sweep();
    expect(await read('stuck')).toBeUndefined();
  });

  it.runIf(name === 'directory')('of many orgs take turns', async () => {
    for (const content of ['a', 'b', 'c']) await upload(content);
    const [large, others] = [org, [await api.givenOrg(`small-${count}-1`), await api.givenOrg(`small-${count}-2`)]];
    for (const other of others) {
      org = other;
      await upload('small');
    }
    pass(9);
    const listed: string[] = [];
    const watched: BlobStore = {
      ...test.blobs,
      list: async (of, after, limit) => {
        listed.push(of);
        return test.blobs.list(of, after, limit);
      },
    };
    await sweep(watched, { pageSize: 1 });
    const turns = listed.filter((id) => [large.id, ...others.map(({ id }) => id)].includes(id));
    expect(new Set(turns.slice(0, 3)).size).toBe(3);
    expect(turns.filter((id) => id === large.id).length).toBeGreaterThan(1);
    org = large;
  });
});
