import { randomUUID } from 'node:crypto';
import {
  archiveFlow,
  attestGeneric,
  beginTrail,
  contracts,
  fillPath,
  getStorage,
  listAttestations,
  putFindingsThreshold,
  putFlow,
  reportArtifact,
  reportServer,
  roles,
} from '@waymark/contract';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../../test/given/environments.ts';
import { artifact, fingerprint, sendForm } from '../../../../test/given/evidence.ts';
import { givenPerson, type Person } from '../../../../test/given/people.ts';
import { requests } from '../../../../test/given/requests.ts';
import { givenTurns } from '../../../../test/given/turns.ts';
import { noLog, startApi, type TestOrg } from '../../../../test/harness.ts';
import { startMailServer } from '../../../../test/mail-server.ts';
import { mailKinds, processors, tasks } from '../../../app/worker.ts';
import { directoryBlobs } from '../../../platform/blobs/directory-blobs.ts';
import { directoryObjects } from '../../../platform/blobs/directory-objects.ts';
import { systemCtx } from '../../../platform/ctx.ts';
import type { StorageQuota } from '../../../platform/http/storage-quota.ts';
import { eraseEntry } from '../../../platform/journal/erase.ts';
import { openMailer } from '../../../platform/mail/mailer.ts';
import { sendDueMails } from '../../../platform/mail/outbox.ts';
import { countStorage } from './storage-quota.processor.ts';
import { changeStorageQuota, recount } from './storage-quota.service.ts';
import { warnOfStorage } from './storage-quota.tasks.ts';

/** Far above what the tests store, so that it is reached only where a test says so. */
const STANDARD: StorageQuota = { bytes: 1_000_000, rows: 100_000 };

const api = await startApi({ storageQuota: STANDARD });
const turns = await givenTurns(api, countStorage);
const smtp = await startMailServer();
const mailer = openMailer({ url: smtp.url, from: 'waymark@waymark.test' });
afterAll(() => mailer.close());

let org: TestOrg;
let count = 0;
beforeEach(async () => {
  org = await api.givenOrg(`storage-${++count}`);
  await api.call(putFlow, { ...as(), body: { name: 'shop', template: 'version: 1\n' } });
});

const as = (of = org) => ({ params: { org: of.name, flow_name: 'shop', trail_name: 't' }, key: of.keys.admin });
const ctxOf = (of = org) => ({ ...systemCtx(api.db, of.id, 'waymark-server', noLog), now: () => api.clock.now });
const setQuota = (quota: Partial<StorageQuota>, of = org) =>
  changeStorageQuota(ctxOf(of), { bytes: null, rows: null, ...quota });
const storage = async (of = org, key = of.keys.reader) => (await api.call(getStorage, { ...as(of), key })).body;
const attestation = (name = 'x') => ({ attestation_name: name, is_compliant: true });
const attest = (of = org, headers: Record<string, string> = {}) =>
  api.call(attestGeneric, { ...as(of), body: attestation(), headers });
const attach = (content: string, headers: Record<string, string> = {}, of = org) =>
  sendForm(
    api,
    'POST',
    `/attestations/${of.name}/shop/trail/t/generic`,
    { data_json: attestation() },
    { part: 'attachment_file', name: 'file.txt', content },
    { authorization: `Bearer ${of.keys.admin}`, ...headers },
  );
const counted = async (of = org) => {
  await turns.untilDone();
  return storage(of);
};
const warn = () => warnOfStorage(STANDARD, noLog, () => api.clock.now).run(api.db);
/** A quota that the org's current storage reaches. */
const fill = async (of = org) => {
  const { rows } = await counted(of);
  await setQuota({ rows: rows.used }, of);
};

describe('what is counted', () => {
  it('is a row for each record, and the bytes that were sent', async () => {
    expect(await counted()).toEqual({
      bytes: { used: 0, quota: STANDARD.bytes },
      rows: { used: 0, quota: STANDARD.rows },
      level: 'ok',
    });
    await api.call(beginTrail, { ...as(), body: { name: 't', user_data: { text: 'a'.repeat(1_000) } } });
    const begun = await counted();
    expect(begun.rows.used).toBe(1);
    expect(begun.bytes.used).toBeGreaterThan(1_000);
    await api.call(beginTrail, { ...as(), body: { name: 't', user_data: { text: 'b'.repeat(500) } } });
    const changed = await counted();
    expect(changed.rows.used).toBe(2);
    expect(changed.bytes.used).toBeGreaterThan(begun.bytes.used + 500);
    await api.call(reportArtifact, { ...as(), body: artifact('a', { trail_name: 't' }) });
    await attest();
    const reported = await counted();
    expect(reported.rows.used).toBe(4);
    expect(reported.bytes.used).toBeGreaterThan(changed.bytes.used);
    await turns.untilDone();
    expect(await storage()).toEqual(reported);
  });

  it('of a file is its size once, however often it is attached, and also when the request is refused', async () => {
    await api.call(beginTrail, { ...as(), body: { name: 't' } });
    const before = (await counted()).bytes.used;
    await attach('a'.repeat(5_000));
    const once = (await storage()).bytes.used;
    expect(once).toBe(before + 5_000);
    await attach('a'.repeat(5_000));
    expect((await storage()).bytes.used).toBe(once);
    const path = `/attestations/${org.name}/shop/trail/t/junit`;
    const file = { part: 'attachment_file', name: 'junit.xml', content: 'b'.repeat(3_000) };
    const headers = { authorization: `Bearer ${org.keys.admin}` };
    const refused = await sendForm(api, 'POST', path, { data_json: { attestation_name: 'x' } }, file, headers);
    expect(refused.status).toBe(400);
    expect((await storage()).bytes.used).toBe(once + 3_000);
  });

  it('of a bill of materials is a row for each component, once for equal lists', async () => {
    const components = Array.from({ length: 30 }, (_, i) => ({ type: 'library', name: `lib-${i}`, version: '1' }));
    const content = JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, components });
    const path = `/attestations/${org.name}/shop/trail/t/sbom`;
    const file = { part: 'attachment_file', name: 'bom.json', content };
    const headers = { authorization: `Bearer ${org.keys.admin}` };
    await api.call(reportArtifact, { ...as(), body: artifact('a', { trail_name: 't' }) });
    const before = await counted();
    const body = { attestation_name: 'bom', artifact_fingerprint: fingerprint('a') };
    expect((await sendForm(api, 'POST', path, { data_json: body }, file, headers)).status).toBe(201);
    expect((await counted()).rows.used).toBe(before.rows.used + 31);
    await sendForm(api, 'POST', path, { data_json: body }, file, headers);
    expect((await counted()).rows.used).toBe(before.rows.used + 32);
  });

  it('of a report is what changed, and nothing where nothing did', async () => {
    await givenEnvironment(api, 'prod', 'server', {}, org);
    const report = (...digits: string[]) =>
      api.call(reportServer, {
        params: { org: org.name, env_name: 'prod' },
        key: org.keys.snapshotter,
        body: {
          artifacts: digits.map((digit) => ({
            digests: { [`app-${digit}`]: fingerprint(digit) },
            creationTimestamp: 1_700_000_000,
          })),
        },
      });
    await report('a', 'b');
    const first = await counted();
    expect(first.rows.used).toBe(1 + 2 * 3);
    expect(first.bytes.used).toBeGreaterThan(0);
    await report('a', 'b');
    expect(await counted()).toEqual(first);
    await report('a', 'b', 'c');
    await report('a', 'c');
    expect((await counted()).rows.used).toBe(first.rows.used + 1 + 3 + 1);
  });

  it('is the same however many write at once', async () => {
    await api.call(beginTrail, { ...as(), body: { name: 't' } });
    const before = await counted();
    await Promise.all([
      ...Array.from({ length: 10 }, () => attest()),
      ...Array.from({ length: 10 }, () => attach('same')),
      turns.take(),
    ]);
    const after = await counted();
    expect(after.rows.used).toBe(before.rows.used + 20);
    await recount(ctxOf());
    expect(await storage()).toEqual(after);
  });
});

describe('an org that has used up its quota', () => {
  it('refuses additions, and says why and whom to ask', async () => {
    await attest();
    await fill();
    const { rows } = await storage();
    const entries = (await api.journal(org)).length;
    expect(await attest()).toMatchObject({
      status: 413,
      body: {
        message:
          `The storage quota of this org is exhausted: ${rows.used} of ${rows.used} rows. Ask the operator of this ` +
          'installation to raise it; until then no evidence can be added, but everything else works',
      },
    });
    expect(await storage()).toMatchObject({ rows: { quota: rows.used }, level: 'full' });
    expect((await api.journal(org)).length).toBe(entries);
    await setQuota({ bytes: 0 });
    expect((await attest()).body).toMatchObject({ message: expect.stringContaining(' of 0 bytes. Ask') });
  });

  it('is refused before a file is stored', async () => {
    await attest();
    await fill();
    const { bytes } = await storage();
    expect((await attach('never stored')).status).toBe(413);
    expect((await attach('never stored', { 'idempotency-key': 'unknown' })).status).toBe(413);
    expect((await storage()).bytes.used).toBe(bytes.used);
  });

  it('is refused for every role alike, and reveals nothing to strangers', async () => {
    await attest();
    await fill();
    const other = await api.givenOrg(`other-${count}`);
    expect((await api.call(attestGeneric, { ...as(), key: other.keys.admin, body: attestation() })).status).toBe(403);
    expect((await api.call(attestGeneric, { ...as(), key: org.keys.reader, body: attestation() })).status).toBe(403);
    expect((await api.call(attestGeneric, { ...as(), key: org.keys.member, body: attestation() })).status).toBe(413);
  });

  it('reads, archives and changes settings as before', async () => {
    await attest();
    await fill();
    expect((await api.call(listAttestations, as())).status).toBe(200);
    const threshold = { ...as(), body: { fails_at: 'warning' as const } };
    expect((await api.call(putFindingsThreshold, threshold)).status).toBe(200);
    expect((await api.call(putFlow, { ...as(), body: { name: 'another' } })).status).toBe(201);
    expect((await api.call(archiveFlow, as())).status).toBe(200);
  });

  it('leaves the org beside it alone', async () => {
    const beside = await api.givenOrg(`beside-${count}`);
    await api.call(putFlow, { ...as(beside), body: { name: 'shop', template: 'version: 1\n' } });
    await attest();
    await fill();
    expect((await attest()).status).toBe(413);
    expect((await attest(beside)).status).toBe(201);
    expect(await counted(beside)).toMatchObject({ level: 'ok', rows: { used: 2 } });
  });

  it('gets the answer again to what was accepted before, and nothing for another request', async () => {
    const headers = { 'idempotency-key': `key-${count}` };
    const id = { 'waymark-evidence-id': randomUUID() };
    const first = await attest(org, headers);
    const second = await attest(org, id);
    const file = await attach('content', { 'idempotency-key': `file-${count}` });
    await fill();
    const { rows, bytes } = await storage();
    expect((await attest(org, headers)).body).toBe(first.body);
    expect((await attest(org, id)).headers['waymark-attestation']).toBe(second.headers['waymark-attestation']);
    expect((await attach('content', { 'idempotency-key': `file-${count}` })).body).toBe(file.body);
    // With a known key, an unknown file is refused and not stored.
    expect((await attach('other', { 'idempotency-key': `file-${count}` })).status).toBe(413);
    const trail = { ...as(), headers: id, body: { name: 'another' } };
    expect((await api.call(beginTrail, trail)).status).toBe(413);
    expect(await counted()).toMatchObject({ rows: { used: rows.used }, bytes: { used: bytes.used } });
  });

  it('goes on as soon as the operator raises the quota', async () => {
    await attest();
    await fill();
    expect((await attest()).status).toBe(413);
    await setQuota({ rows: 1_000 });
    expect((await attest()).status).toBe(201);
    await setQuota({ rows: 1_000 });
    expect((await api.journal(org)).filter(({ type }) => type === 'org.storage_quota_changed')).toMatchObject([
      { actor: 'waymark-server', payload: { bytes: null } },
      { payload: { bytes: null, rows: 1_000 } },
    ]);
  });

  it('has room again for what was erased, after a recount', async () => {
    await api.call(beginTrail, { ...as(), body: { name: 't', user_data: { text: 'a'.repeat(2_000) } } });
    await attest();
    const { bytes } = await counted();
    await setQuota({ bytes: bytes.used });
    expect((await attest()).status).toBe(413);
    const { id } = await api.db
      .selectFrom('journal')
      .select('id')
      .where('org_id', '=', org.id)
      .where('type', '=', 'trail.begun')
      .executeTakeFirstOrThrow();
    await eraseEntry(ctxOf(), id, 'asked for');
    await api.db.deleteFrom('attestation').where('org_id', '=', org.id).execute();
    await recount(ctxOf());
    expect((await storage()).bytes.used).toBeLessThan(bytes.used - 2_000);
    expect((await attest()).status).toBe(201);
  });

  it('is recounted during concurrent writes, which count exactly once', async () => {
    await attest();
    for (let round = 0; round < 5; round++) {
      await Promise.all([...Array.from({ length: 5 }, () => attest()), attach(`file ${round}`), recount(ctxOf())]);
      await Promise.all([turns.take(), recount(ctxOf())]);
    }
    const after = await counted();
    // The trail, the first attestation, and six in each round.
    expect(after.rows.used).toBe(2 + 30);
    await recount(ctxOf());
    expect(await storage()).toEqual(after);
  });
});

it('refuses every operation that adds evidence, and none besides', async () => {
  const sent = new Map(
    await Promise.all(
      contracts
        .filter(({ id }) => requests[id])
        .map(async (contract) => [contract, await requests[contract.id]?.(api, `full-${contract.id}`)] as const),
    ),
  );
  await setQuota({ rows: 0 }, api.org);
  const refused: string[] = [];
  for (const [contract, request] of sent) {
    const path = fillPath(contract, (name) => encodeURIComponent(request?.params?.[name] ?? api.org.name));
    const { status } = await api.inject({
      method: contract.method,
      url: `/api/v2${path}`,
      headers: { authorization: `Bearer ${api.org.keys.admin}`, 'waymark-beta': 'controls' },
      ...(request?.body && { payload: request.body }),
    });
    if (status === 413) refused.push(contract.id);
  }
  expect(refused.sort()).toEqual(contracts.flatMap(({ id, addsEvidence }) => (addsEvidence ? [id] : [])).sort());
});

it('is shown to every role of the org and to nobody else', async () => {
  for (const role of roles) expect((await api.call(getStorage, { ...as(), key: org.keys[role] })).status).toBe(200);
  expect((await api.call(getStorage, { ...as(), key: api.org.keys.admin })).status).toBe(403);
});

it('has the default of the installation unless the operator set another', async () => {
  await setQuota({ bytes: 7 });
  expect(await storage()).toMatchObject({ bytes: { quota: 7 }, rows: { quota: STANDARD.rows } });
  await setQuota({});
  expect(await storage()).toMatchObject({ bytes: { quota: STANDARD.bytes }, rows: { quota: STANDARD.rows } });
  const other = await api.givenOrg(`filled-${count}`);
  await api.call(putFlow, { ...as(other), body: { name: 'shop' } });
  await attach('a'.repeat(Number(STANDARD.bytes)), {}, other);
  expect((await attest(other)).status).toBe(413);
});

describe('admins are warned', () => {
  let admin: Person;
  beforeEach(async () => {
    admin = await givenPerson(api, { org, role: 'admin' });
    await api.call(beginTrail, { ...as(), body: { name: 't' } });
  });
  const send = async () => {
    const kinds = mailKinds({ publicUrl: 'https://waymark.test', signUp: 'invited', storageQuota: STANDARD });
    smtp.received.length = 0;
    const parts = { db: api.db, mailer, kinds, log: noLog, now: () => api.clock.now };
    while ((await sendDueMails(parts)) > 0);
    return smtp.received.filter(({ to }) => to.includes(admin.email)).map(({ mail }) => mail);
  };
  const warnings = async () =>
    (await api.journal(org)).flatMap(({ type, payload }) => (type === 'org.storage_warned' ? [payload] : []));

  it('at 80 percent and when it is used up, once each', async () => {
    const { rows } = await counted();
    await setQuota({ rows: rows.used + 4 });
    await warn();
    expect(await send()).toEqual([]);
    for (let i = 0; i < 3; i++) await attest();
    expect(await counted()).toMatchObject({ level: 'warning' });
    await Promise.all([warn(), warn()]);
    const [mail, ...more] = await send();
    expect(more).toEqual([]);
    expect(mail?.subject).toBe(`${org.name} has used 80 percent of its storage quota`);
    expect(mail?.text).toContain(`Rows: ${rows.used + 3} of ${rows.used + 4}`);
    expect(mail?.text).toContain(`https://waymark.test/${org.name}/settings/organization`);
    await warn();
    expect(await send()).toEqual([]);
    await attest();
    await counted();
    await warn();
    await warn();
    expect((await send()).map(({ subject }) => subject)).toEqual([`The storage quota of ${org.name} is exhausted`]);
    expect(await warnings()).toMatchObject([
      { percent: 80, rows: rows.used + 3, quota_rows: rows.used + 4 },
      { percent: 100, rows: rows.used + 4 },
    ]);
  });

  it('again only after there was room in between', async () => {
    await fill();
    await warn();
    expect(await send()).toHaveLength(1);
    await setQuota({ rows: 1_000 });
    await warn();
    expect(await send()).toEqual([]);
    await fill();
    await warn();
    expect(await send()).toHaveLength(1);
    expect(await warnings()).toHaveLength(2);
  });

  it('of nothing that has passed until the mail is sent', async () => {
    await fill();
    await warn();
    await setQuota({ rows: 1_000 });
    expect(await send()).toEqual([]);
  });
});

it('is counted and warned of by the worker', () => {
  const wake = { feeds: () => undefined, reevaluations: () => undefined, deliveries: () => undefined };
  expect(processors(wake)).toContain(countStorage);
  const names = tasks(
    { blobs: directoryBlobs({ root: '/nowhere' }), objects: directoryObjects({ root: '/nowhere' }) },
    STANDARD,
    noLog,
  ).map(({ name }) => name);
  expect(names).toContain('warn-of-storage');
});
