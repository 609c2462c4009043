import {
  fillPath,
  getLedger,
  getLedgerProof,
  getRegionCheckpoint,
  getRegionLogs,
  getRegionTile,
  getTrustPolicy,
  listLedgerEntries,
} from '@waymark/contract';
import {
  decodeEntries,
  formatVerifierKey,
  leafHashOf,
  parseLedgerProof,
  parsePolicy,
  parseRegionLeaf,
  parseSignedCheckpoint,
  verifyCheckpoint,
  verifyLedgerProof,
} from '@waymark/transparency';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { givenCosignature, givenWitnesses, policyOf } from '../../../test/given/cosignatures.ts';
import { givenFlow, givenTrail } from '../../../test/given/evidence.ts';
import { givenEntries, givenServedLedger } from '../../../test/given/proofs.ts';
import { startApi } from '../../../test/harness.ts';

const [alpha, beta] = (await givenWitnesses('alpha', 'beta')) as [never, never];
const api = await startApi({ ledger: { name: 'waymark.test/eu', witnesses: policyOf([alpha, beta]) } });
const ledger = await givenServedLedger(api);

async function file(path: string, epoch = '1') {
  const url = fillPath(getRegionTile, (name) => (name === 'epoch' ? epoch : path));
  const response = await api.app.http.inject({ url: `/api/v2${url}` });
  return { status: response.statusCode, headers: response.headers, bytes: response.rawPayload };
}

async function checkpoint(epoch = 1) {
  const answer = await api.call(getRegionCheckpoint, { params: { epoch: String(epoch) }, key: '' });
  expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } });
  return parseSignedCheckpoint(answer.body);
}

const trustPolicy = async () => (await api.call(getTrustPolicy, { key: '' })).body;
const proof = async (query: Record<string, string>) =>
  parseLedgerProof((await api.call(getLedgerProof, { query })).body);

let trails = 0;
async function record(): Promise<string> {
  const name = `t-${++trails}`;
  await givenTrail(api, 'shop', name);
  await ledger.seal();
  return `shop/${name}`;
}

await givenFlow(api, 'shop');

it('has nothing to serve before the first checkpoint', async () => {
  expect((await api.call(getRegionLogs, { key: '' })).body).toEqual({
    name: 'waymark.test/eu',
    current: null,
    epochs: [],
  });
  expect((await api.call(getTrustPolicy, { key: '' })).status).toBe(404);
  expect((await api.call(getRegionCheckpoint, { params: { epoch: '1' }, key: '' })).status).toBe(404);
  expect((await file('0/000.p/1')).status).toBe(404);
});

it('is public: anyone reads its checkpoint, its tiles, and its leaves, which name no org', async () => {
  await record();
  const { signed, size } = await checkpoint().then((signed) => ({ signed, size: signed.checkpoint.size }));
  expect(await verifyCheckpoint(signed, { ...parsePolicy(await trustPolicy()), quorum: 'none' })).toMatchObject({
    ok: true,
  });
  const { bytes, headers } = await file(`entries/000.p/${size}`);
  expect(headers['cache-control']).toBe('no-cache');
  const leaves = decodeEntries(bytes, size);
  expect(leaves.map((leaf) => parseRegionLeaf(leaf).kind)).toEqual(['keys', ...Array(size - 1).fill('org')]);
  expect(new TextDecoder().decode(bytes)).not.toContain(api.org.id);
  const hashes = Buffer.concat(leaves.map((leaf) => leafHashOf(leaf)));
  expect((await file(`0/000.p/${size}`)).bytes.equals(hashes)).toBe(true);
  expect((await file(`0/000.p/${size + 1}`)).status).toBe(404);
  expect((await file('0/000.p/1', '9')).status).toBe(404);
  expect((await api.call(getRegionCheckpoint, { params: { epoch: '9' }, key: '' })).status).toBe(404);
  for (const path of ['0/0', 'entries/000.p/0']) expect((await file(path)).status, path).toBe(400);
  for (const epoch of ['0', 'x']) {
    expect((await file('0/000.p/1', epoch)).status).toBe(400);
    expect((await api.call(getRegionCheckpoint, { params: { epoch }, key: '' })).status).toBe(400);
  }
});

it('publishes a trust policy with its key and its witnesses', async () => {
  const text = await trustPolicy();
  const policy = parsePolicy(text);
  expect(policy.logs).toHaveLength(1);
  expect(policy.logs[0]).toMatchObject({
    key: { name: 'waymark.test/eu/1' },
    url: 'http://waymark.test/api/v2/region-log/1',
  });
  expect(policy.witnesses.map(({ name, url }) => [name, url])).toEqual([
    ['alpha', 'https://alpha.example'],
    ['beta', 'https://beta.example'],
  ]);
  expect([policy.quorum, policy.groups[0]?.threshold]).toEqual(['every', 2]);
});

it('proves under the newest checkpoint with a quorum, and until there is one under what is signed', async () => {
  const trail = await record();
  const policy = parsePolicy(await trustPolicy());
  const early = await verifyLedgerProof(await proof({ trail }), policy);
  expect(early.steps.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name)).toEqual(['witnesses']);

  await givenCosignature(api.owner, alpha);
  expect((await proof({ trail })).region.signed.note.signatures).toHaveLength(2);
  await givenCosignature(api.owner, beta);
  const whole = await proof({ trail });
  expect(await verifyLedgerProof(whole, policy)).toMatchObject({ ok: true, cosigned: [{}, {}] });

  await record();
  await record();
  expect((await proof({ trail })).region.signed.checkpoint).toEqual(whole.region.signed.checkpoint);
  await givenCosignature(api.owner, alpha);
  expect((await proof({ trail })).region.signed.checkpoint).toEqual(whole.region.signed.checkpoint);
  await givenCosignature(api.owner, beta);
  const later = await verifyLedgerProof(await proof({ trail }), policy);
  expect([later.ok, later.checkpoint.size > whole.region.signed.checkpoint.size]).toEqual([true, true]);
});

it('serves the last cosigned checkpoint for a minute, and then the newest, so that missing witnesses show', async () => {
  const cosigned = await checkpoint();
  expect(cosigned.note.signatures).toHaveLength(3);
  await record();
  expect((await checkpoint()).checkpoint).toEqual(cosigned.checkpoint);
  await sql`update region_checkpoint set signed_at = signed_at + interval '2 minutes'
    where number = (select max(number) from region_checkpoint)`.execute(api.owner);
  const newest = await checkpoint();
  expect(newest.checkpoint.size).toBeGreaterThan(cosigned.checkpoint.size);
  expect(newest.note.signatures).toHaveLength(1);
});

it('says when the ledger was last compared with the records, and what differed', async () => {
  await sql`
    insert into ledger_check (org_id, at, entries, problems, first_problem, turn_at)
    values (${api.org.id}, to_timestamp(1790000000), 12, 1, 'a row differs', now())`.execute(api.owner);
  const { last_check } = (await api.call(getLedger)).body;
  expect(last_check).toEqual({ at: 1_790_000_000, entries: 12, problems: 1 });
  await sql`delete from ledger_check where org_id = ${api.org.id}`.execute(api.owner);
});

it('says how many witnesses cosigned, and when', async () => {
  await givenCosignature(api.owner, alpha);
  const { body } = await api.call(getLedger);
  expect(body).toMatchObject({
    state: 'signed',
    reason: null,
    epoch: 1,
    time_stamp: null,
    last_check: null,
    region: { origin: 'waymark.test/eu/1', number: expect.any(Number) as number },
  });
  expect(body.witnesses).toEqual([
    {
      name: 'alpha',
      verifier_key: formatVerifierKey((alpha as { key: never }).key),
      url: 'https://alpha.example',
      size: expect.any(Number) as number,
      cosigned_at: expect.any(Number) as number,
      error: null,
    },
    expect.objectContaining({ name: 'beta' }),
  ]);
  const trail = await record();
  const entries = await api.call(listLedgerEntries, { query: { trail: 'shop/t-1' } });
  expect(entries.body.data[0]?.sealed).toMatchObject({ witnesses: 2 });
  const fresh = await api.call(listLedgerEntries, { query: { trail } });
  expect(fresh.body.data[0]?.sealed).toMatchObject({ witnesses: 0 });
});

it('puts the first time stamp that covers the entry into the proof', async () => {
  const trail = await record();
  await sql`insert into time_stamp (epoch, number, token, stamped_at, authority)
    select epoch, number, 'token', now(), 'The authority' from region_checkpoint order by number desc limit 1`.execute(
    api.owner,
  );
  await record();
  const stamped = await proof({ trail });
  const verifyTimeStamp = async (token: Uint8Array) => {
    expect(new TextDecoder().decode(token)).toBe('token');
    return { at: new Date(0), authority: 'The authority' };
  };
  const policy = { ...parsePolicy(await trustPolicy()), quorum: 'none' };
  const { steps } = await verifyLedgerProof(stamped, policy, { verifyTimeStamp });
  expect(steps.find(({ name }) => name === 'time_stamp')).toMatchObject({ outcome: 'ok' });
  expect((await api.call(getLedger)).body.time_stamp).toMatchObject({ authority: 'The authority' });
  const listed = await api.call(listLedgerEntries, { query: { trail } });
  expect(listed.body.data[0]?.sealed).toMatchObject({ time_stamped: true });
});

it('counts the entries of each of the last 30 days', async () => {
  await sql`update ledger set sequenced_at = sequenced_at - interval '3 days'
    where org_id = ${api.org.id} and index < 4`.execute(api.owner);
  await sql`update ledger set sequenced_at = sequenced_at - interval '40 days'
    where org_id = ${api.org.id} and index < 1`.execute(api.owner);
  api.clock.now = new Date();
  const { growth, size } = (await api.call(getLedger)).body;
  expect(growth).toHaveLength(30);
  expect(growth.at(-1)?.day).toBe(api.clock.now.toISOString().slice(0, 10));
  expect(growth.at(-4)?.entries).toBe(3);
  expect(growth.at(-1)?.entries).toBe(size - 4);
  expect(growth.reduce((sum, { entries }) => sum + entries, 0)).toBe(size - 1);
});

it('lets anyone cache a full tile for ever', async () => {
  const orgs = Array.from({ length: 300 }, (_, i) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`);
  await givenEntries(api.owner, orgs, 1);
  await ledger.seal();
  for (const path of ['0/000', 'entries/000']) {
    const { status, headers } = await file(path);
    expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
  }
});
