import { hash, randomUUID } from 'node:crypto';
import {
  attestGeneric,
  attestOverride,
  attestPullRequest,
  eraseAttestation,
  liftLegalHold,
  listAttestations,
  listErasures,
  placeLegalHold,
  putRetention,
  roles,
  searchComponents,
} from '@waymark/contract';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { environmentOf, givenEnvironment } from '../../../test/given/environments.ts';
import { artifact, attestationIdOf, fingerprint, sendForm } from '../../../test/given/evidence.ts';
import { holdRows } from '../../../test/given/held-rows.ts';
import { countHeldUp } from '../../../test/given/held-up.ts';
import { givenFlowNotification } from '../../../test/given/notifications.ts';
import { givenPlanner } from '../../../test/given/planner.ts';
import { attestationPolicy, givenAttached, givenPolicy } from '../../../test/given/policies.ts';
import { givenRunning } from '../../../test/given/runs.ts';
import { givenTurns } from '../../../test/given/turns.ts';
import { givenReevaluations } from '../../../test/given/worker.ts';
import { noLog, startApi, type TestOrg } from '../../../test/harness.ts';
import { systemCtx } from '../../platform/ctx.ts';
import { digestOf } from '../../platform/journal/entry.ts';
import { LEAF_HASH } from '../../platform/journal/leaf.ts';
import { sequenceAll } from '../../platform/journal/pass.ts';
import { countStorage } from '../org-settings/storage-quotas/storage-quota.processor.ts';
import { eraseUnlessHeld } from './entry-erasure.service.ts';
import { sweepFiles } from './file-sweep.service.ts';

const api = await startApi();
const SECRET = 'Grace Hopper';
const NOBODY = '01a1dcbd-b399-7861-b63d-0f0927550600';
let count = 0;
let org: TestOrg;
beforeEach(async () => {
  org = await api.givenOrg(`erased-${++count}`);
});

const trail = { flow_name: 'shop', trail_name: 'build-7' };
const pass = (seconds: number) => {
  api.clock.now = new Date(api.clock.now.getTime() + seconds * 1000);
};
const ctxOf = () => ({ ...systemCtx(api.db, org.id, 'operator', noLog), now: () => api.clock.now });
const record = async (body: object = {}, headers: Record<string, string> = {}) => {
  const sent = { attestation_name: 'review', is_compliant: false, description: SECRET, ...body };
  const answer = await api.call(attestGeneric, {
    params: { org: org.name, ...trail },
    key: org.keys.admin,
    body: sent,
    headers,
  });
  expect(answer.status).toBe(201);
  return attestationIdOf(answer);
};
const attach = async (kind: string, content: string, headers: Record<string, string> = {}, json: object = {}) => {
  const answer = await sendForm(
    api,
    'POST',
    `/attestations/${org.name}/shop/trail/build-7/${kind}`,
    { data_json: { attestation_name: 'scan', ...json } },
    { part: 'attachment_file', name: `${SECRET}.json`, content },
    { authorization: `Bearer ${org.keys.admin}`, ...headers },
  );
  expect(answer).toMatchObject({ status: 201 });
  return attestationIdOf(answer);
};
const erase = (attestation_id: string, reason = 'Request 114', key = org.keys.admin) =>
  api.call(eraseAttestation, { params: { org: org.name, attestation_id }, key, body: { reason } });
const read = async (id: string) => {
  const call = { params: { org: org.name }, key: org.keys.reader, query: { attestation_id: id } };
  const [found] = (await api.call(listAttestations, call)).body.data;
  if (!found) throw new Error('there is no such attestation');
  return found;
};
const list = (query = {}, key = org.keys.reader) => api.call(listErasures, { params: { org: org.name }, key, query });
const entries = async () => (await api.journal(org)).filter(({ type }) => type === 'attestation.erased');
const download = (id: string) =>
  api.inject({
    url: `/api/v2/attestations/${org.name}/shop/trail/build-7/attestation/${id}/evidence`,
    headers: { authorization: `Bearer ${org.keys.reader}` },
  });

/** Every table with a row of the org that has the text somewhere. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class join pg_attribute on attrelid = pg_class.oid and attname = 'org_id'
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`.execute(api.owner);
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql`
      select from ${sql.table(name)} as held where org_id = ${org.id} and held::text like ${`%${text}%`} limit 1`.execute(
      api.owner,
    );
    if (rows.length > 0) found.push(name);
  }
  return found.sort();
}

describe('an attestation', () => {
  it('loses its content everywhere, and keeps its place, verdict, and times', async () => {
    const evidenceId = randomUUID();
    const id = await record({ annotations: { who: SECRET } }, { 'waymark-evidence-id': evidenceId });
    const before = await read(id);
    const erased = await erase(id);
    expect(erased).toMatchObject({
      status: 200,
      body: {
        attestation_id: id,
        attestation_name: 'review',
        flow_name: 'shop',
        trail_name: 'build-7',
        reason: 'Request 114',
        erased_by: `${org.name}-admin`,
        attachment: 'none',
      },
    });
    const tombstone = { at: erased.body.erased_at, by: `${org.name}-admin`, reason: 'Request 114' };
    expect(await read(id)).toEqual({
      ...before,
      reasons: [expect.stringMatching(/^Its content was erased on \d{4}-\d\d-\d\d by erased-1-admin$/)],
      description: '',
      annotations: {},
      attestation_data: {},
      content_sha256: null,
      recorded_by: null,
      erased: tombstone,
    });
    expect((await list()).body).toEqual([erased.body]);
    expect(await tablesWith(SECRET)).toEqual([]);
    expect(await entries()).toEqual([
      {
        type: 'attestation.erased',
        subject_seq: 2,
        actor: `${org.name}-admin`,
        payload: expect.objectContaining({
          name: 'review',
          is_compliant: false,
          attachment: false,
          reason: 'Request 114',
        }),
      },
    ]);
  });

  it('is recorded as an entry, and the leaf of the erased one stays', async () => {
    const id = await record();
    await sequenceAll(api.db);
    const leaves = async () => {
      const { rows } = await sql<{ type: string; stored: string; computed: string; payload: string | null }>`
        select type, payload, encode(leaf_hash, 'hex') as stored, encode(${sql.raw(LEAF_HASH)}, 'hex') as computed
        from journal join ledger on ledger.org_id = journal.org_id and ledger.entry_seq = journal.seq
        where journal.org_id = ${org.id} and journal.subject_id = ${id} order by seq`.execute(api.db);
      return rows;
    };
    const [before] = await leaves();
    await erase(id);
    await sequenceAll(api.db);
    const after = await leaves();
    expect(after).toMatchObject([
      { type: 'attestation.recorded', payload: null, stored: before?.stored, computed: before?.stored },
      { type: 'attestation.erased' },
    ]);
    const row = await api.db
      .selectFrom('attestation')
      .select('verdict')
      .where('org_id', '=', org.id)
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(after[1]?.payload).toContain(hash('sha256', row.verdict));
    const entry = await api.db
      .selectFrom('journal')
      .selectAll()
      .where('org_id', '=', org.id)
      .where('type', '=', 'attestation.erased')
      .executeTakeFirstOrThrow();
    expect(digestOf(entry.payload ?? '', entry.nonce ?? Buffer.alloc(0))).toEqual(entry.payload_digest);
  });

  it('is erased once, however often it is requested at the same time', async () => {
    const id = await record();
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => erase(id, `Reason ${i}`)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await entries()).toHaveLength(1);
    expect((await erase(id, 'Later')).body).toEqual(answers[0]?.body);
  });

  it('is erased by admins of the org alone, and erasures are listed for every member', async () => {
    const other = await api.givenOrg(`erased-beside-${count}`);
    const id = await record();
    for (const role of ['reader', 'snapshotter', 'member'] as const) {
      const refused = { status: 403, body: { message: `This requires the admin role; yours is ${role}` } };
      expect(await erase(id, 'r', org.keys[role])).toMatchObject(refused);
    }
    expect((await erase(id, 'r', other.keys.admin)).status).toBe(403);
    const elsewhere = { params: { org: other.name, attestation_id: id }, key: other.keys.admin, body: { reason: 'r' } };
    expect((await api.call(eraseAttestation, elsewhere)).status).toBe(404);
    expect((await erase(NOBODY)).body).toMatchObject({ message: `Attestation '${NOBODY}' does not exist in this org` });
    for (const wrong of [{}, { reason: ' ' }, { reason: 'x'.repeat(2_001) }])
      expect(
        (
          await api.call(eraseAttestation, {
            params: { org: org.name, attestation_id: id },
            key: org.keys.admin,
            body: wrong as never,
          })
        ).status,
      ).toBe(400);
    expect((await erase('x')).status).toBe(400);
    expect(await entries()).toEqual([]);
    expect((await read(id)).description).toBe(SECRET);
    await erase(id);
    for (const role of roles) expect((await list({}, org.keys[role])).body).toHaveLength(1);
    expect((await list({}, other.keys.admin)).status).toBe(403);
    expect((await list({ after: 'x' })).status).toBe(400);
  });

  it('is listed in pages', async () => {
    const id = await record();
    await sql`
      insert into attestation select (json_populate_record(attestation, json_build_object('id', gen_random_uuid(), 'receipt', nextval('receipt')))).*
      from attestation, generate_series(1, 501) where org_id = ${org.id} and id = ${id}`.execute(api.owner);
    await sql`
      insert into erasure select org_id, id, 'r', created_at, 'ada', 'none' from attestation
      where org_id = ${org.id}`.execute(api.owner);
    const first = await list();
    expect(first.body).toHaveLength(500);
    const next = new URL(/<(.*)>/.exec(String(first.headers['link']))?.[1] ?? '').searchParams.get('after');
    const rest = (await list({ after: next })).body;
    expect(new Set([...first.body, ...rest].map(({ attestation_id }) => attestation_id)).size).toBe(502);
  });
});

describe('it is refused', () => {
  const hold = (subject: object = { kind: 'org' }) =>
    api.call(placeLegalHold, {
      params: { org: org.name },
      key: org.keys.admin,
      body: { name: 'Case 1', reason: 'A claim', subject } as never,
    });

  it('under a legal hold, until it is lifted', async () => {
    const id = await record();
    const placed = await hold();
    expect(await erase(id)).toMatchObject({
      status: 409,
      body: {
        message: "Attestation 'review' can't be erased: it is under legal hold 'Case 1'. Ask an admin to lift it first",
      },
    });
    expect(await entries()).toEqual([]);
    const params = { org: org.name, hold_id: placed.body.id };
    await api.call(liftLegalHold, { params, key: org.keys.admin, body: { reason: 'Closed' } });
    expect((await erase(id)).status).toBe(200);
  });

  it('before the retention minimum has passed, also a lowered one', async () => {
    const id = await record();
    const years = (attestations: number) =>
      api.call(putRetention, {
        params: { org: org.name },
        key: org.keys.admin,
        body: { minimum_years: { attestations } },
      });
    await years(7);
    const until = new Date(api.clock.now);
    until.setUTCFullYear(until.getUTCFullYear() + 7);
    expect(await erase(id)).toMatchObject({
      status: 409,
      body: {
        message: expect.stringContaining(
          `can't be erased before ${until.toISOString().slice(0, 10)}: the retention minimum`,
        ),
      },
    });
    pass(1);
    await years(0);
    pass(1);
    expect((await erase(id)).status).toBe(409);
    expect((await erase(await record())).status).toBe(200);
  });

  it('by a hold that is placed at the same time, or was done before it', async () => {
    const id = await record();
    const release = await holdRows(
      api.owner,
      sql`select from attestation where org_id = ${org.id} and id = ${id} for update`,
    );
    const erasing = erase(id);
    await expect.poll(() => countHeldUp(api.owner), { interval: 5 }).toBe(1);
    const placing = hold();
    await expect.poll(() => countHeldUp(api.owner), { interval: 5 }).toBe(2);
    await release();
    expect([(await erasing).status, (await placing).status]).toEqual([200, 201]);
    expect((await erase(await record())).status).toBe(409);
  });

  it('for journal entries as well', async () => {
    await record();
    await hold();
    const idOf = async (type: string) => {
      const row = api.db
        .selectFrom('journal')
        .select('id')
        .where('org_id', '=', org.id)
        .where('type', '=', type as never);
      return (await row.executeTakeFirstOrThrow()).id;
    };
    const recorded = await idOf('attestation.recorded');
    await expect(eraseUnlessHeld(ctxOf(), recorded, 'r')).rejects.toThrow("under legal hold 'Case 1'");
    await expect(eraseUnlessHeld(ctxOf(), await idOf('legal_hold.placed'), 'r')).rejects.toThrow('never erased');
  });
});

describe('the attached file', () => {
  const sweep = () => sweepFiles({ db: api.db, blobs: api.app.blobs, log: noLog, now: () => api.clock.now });
  const stateOf = async (id: string) =>
    (await list()).body.find(({ attestation_id }) => attestation_id === id)?.attachment;
  const isThere = async (content: string) => (await api.app.blobs.stat(org.id, hash('sha256', content))) !== undefined;

  it('is removed an hour after its last upload', async () => {
    const id = await attach('generic', 'once', {}, { is_compliant: true });
    await erase(id);
    await sweep();
    expect([await stateOf(id), await isThere('once')]).toEqual(['pending', true]);
    pass(3_700);
    await sweep();
    expect([await stateOf(id), await isThere('once')]).toEqual(['removed', false]);
    expect(await tablesWith(hash('sha256', 'once'))).toEqual(['evidence_file']);
    pass(90_000);
    await sweep();
    expect(await tablesWith(hash('sha256', 'once'))).toEqual([]);
  });

  it('stays as long as another attestation has it', async () => {
    const [first, second] = [
      await attach('generic', 'both', {}, { is_compliant: true }),
      await attach('generic', 'both', {}, { is_compliant: true, attestation_name: 'other' }),
    ];
    await erase(first);
    pass(3_700);
    await sweep();
    expect([await stateOf(first), await isThere('both')]).toEqual(['shared', true]);
    expect((await download(second)).status).toBe(200);
    await erase(second);
    await sweep();
    expect([await stateOf(first), await stateOf(second), await isThere('both')]).toEqual(['removed', 'removed', false]);
  });
});

describe('what is left elsewhere', () => {
  it('a repeat of the report gets a reply without the content, and brings nothing back', async () => {
    const headers = { 'waymark-evidence-id': randomUUID(), 'idempotency-key': randomUUID() };
    const id = await record({}, headers);
    await erase(id);
    const again = await api.call(attestGeneric, {
      params: { org: org.name, ...trail },
      key: org.keys.admin,
      body: { attestation_name: 'review', is_compliant: false, description: SECRET },
      headers,
    });
    expect(attestationIdOf(again)).toBe(id);
    expect(again.body).toMatch(/^Attestation 'review' was recorded. Its content was erased on/);
    expect(await tablesWith(SECRET)).toEqual([]);
    const { rows } = await sql<{ request_digest: Buffer }>`
      select request_digest from evidence_receipt where org_id = ${org.id}`.execute(api.db);
    expect(rows[0]?.request_digest).toHaveLength(0);
  });

  it('components are found no more, and the file is no longer offered', async () => {
    const sbom = JSON.stringify({
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      components: [{ type: 'library', name: 'grace', version: '1' }],
    });
    const id = await attach('sbom', sbom);
    const same = await attach('sbom', sbom);
    const search = () =>
      api.call(searchComponents, { params: { org: org.name }, key: org.keys.reader, query: { name: 'grace' } });
    expect(JSON.stringify((await search()).body)).toContain(id);
    expect((await erase(id)).body.attachment).toBe('pending');
    const left = JSON.stringify((await search()).body);
    expect(left).not.toContain(id);
    expect(left).toContain(same);
    await erase(same);
    expect(JSON.stringify((await search()).body)).not.toContain(same);
    const { rows } = await sql`select from component where org_id = ${org.id} and name = 'grace'`.execute(api.db);
    expect(rows).toEqual([]);
    expect(await download(id)).toMatchObject({ status: 404 });
    expect(await read(id)).toMatchObject({
      evaluation: null,
      evidence_archive_path: null,
      evidence_archive_size: null,
    });
    expect(await tablesWith(SECRET)).toEqual([]);
  });

  it('notifications no longer say why', async () => {
    await record();
    pass(1);
    await givenFlowNotification(api, 'n', ['shop'], { triggers: ['ON_ATTESTATION'] }, org);
    pass(1);
    const { plan } = await givenPlanner(api);
    const params = { org: org.name, ...trail };
    const override = {
      attestation_name: 'review',
      original_attestation_type: 'generic',
      new_compliance_status: true,
      reason: `${SECRET} said so`,
    };
    const answer = await api.call(attestOverride, { params, key: org.keys.admin, body: override });
    expect(answer.status).toBe(201);
    await plan();
    expect(await tablesWith(`${SECRET} said so`)).toContain('message');
    await erase(attestationIdOf(answer));
    await plan();
    expect(await tablesWith(`${SECRET} said so`)).toEqual([]);
    expect((await read(attestationIdOf(answer))).override_reason).toMatch(/^Its content was erased on/);
  });

  it('counts no longer as stored', async () => {
    await record();
    const turns = await givenTurns(api, countStorage);
    await turns.untilDone();
    const stored = () =>
      api.db.selectFrom('org_storage').selectAll().where('org_id', '=', org.id).executeTakeFirstOrThrow();
    const before = await stored();
    const id = await record({ description: 'x'.repeat(10_000), attestation_name: 'other' });
    await turns.untilDone();
    await erase(id);
    await turns.untilDone();
    const after = await stored();
    expect(after.content_bytes - before.content_bytes).toBeLessThan(1_000);
    const { rows } = await sql<{ bytes: number }>`
      select sum(coalesce(octet_length(content), 0) + octet_length(verdict))::integer as bytes from attestation
      where org_id = ${org.id}`.execute(api.db);
    expect(after.content_bytes).toBeGreaterThanOrEqual(rows[0]?.bytes ?? 0);
  });

  it('of a pull request no approval counts any more, which is said, and decided at once', async () => {
    await api.call(attestGeneric, {
      params: { org: org.name, ...trail },
      key: org.keys.admin,
      body: { attestation_name: 'x', is_compliant: true },
    });
    const reported = await sendArtifact();
    expect(reported.status).toBe(201);
    const pull = {
      attestation_name: 'pr',
      artifact_fingerprint: fingerprint('a'),
      git_provider: 'github',
      pull_requests: [{ url: 'https://git.example.com/pr/1', state: 'MERGED', author: SECRET, approvers: ['ada'] }],
    };
    const pr = await api.call(attestPullRequest, {
      params: { org: org.name, ...trail },
      key: org.keys.admin,
      body: pull,
    });
    expect(pr.status).toBe(201);
    await givenEnvironment(api, 'prod', 'server', {}, org);
    await givenPolicy(api, 'four-eyes', attestationPolicy('{ name: pr, type: pull_request, min_approvals: 1 }'), org);
    await givenAttached(api, 'prod', ['four-eyes'], org);
    await givenRunning(api, 'prod', { app: 'a' }, org);
    const worker = await givenReevaluations(api);
    await worker.settle();
    expect(await environmentOf(api, 'prod', org)).toMatchObject({ state: true });
    await erase(attestationIdOf(pr));
    await worker.settle();
    expect(await environmentOf(api, 'prod', org)).toMatchObject({ state: false });
    const { rows } = await sql<{ reasons: string }>`
      select reasons from decision where org_id = ${org.id} and status = 'NON-COMPLIANT'`.execute(api.db);
    expect(rows[0]?.reasons).toContain("'pr' no longer shows who approved: its content was erased");
    // A decision of the past is a record of its own, and keeps what it was based on.
    expect(await tablesWith(SECRET)).toEqual(['evidence_state']);
  });

  const sendArtifact = () =>
    api.inject({
      method: 'POST',
      url: `/api/v2/artifacts/${org.name}/shop`,
      headers: { authorization: `Bearer ${org.keys.admin}` },
      payload: artifact('a', { trail_name: 'build-7' }),
    });
});
