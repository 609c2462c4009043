import { attestDecision, getLedgerProof, listLedgerEntries, renameEnvironment } from '@waymark/contract';
import { parseLedgerProof, parsePolicy, verifyLedgerProof } from '@waymark/transparency';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { givenEnvironment } from '../../../test/given/environments.ts';
import {
  attest,
  attestationIdOf,
  fingerprint,
  givenArtifact,
  givenFlow,
  givenTrail,
} from '../../../test/given/evidence.ts';
import { givenPolicy, REQUIRES_PROVENANCE, REQUIRES_TESTS } from '../../../test/given/policies.ts';
import { givenServedLedger, provenBy } from '../../../test/given/proofs.ts';
import { givenReport } from '../../../test/given/reports.ts';
import { noLog, startApi } from '../../../test/harness.ts';
import { systemCtx } from '../../platform/ctx.ts';
import { eraseEntry } from '../../platform/journal/erase.ts';

const api = await startApi();
const ledger = await givenServedLedger(api);

const NOBODY = '01a1dcbd-b399-7861-b63d-0f0927550600';
const prove = (query: Record<string, string>, key = api.org.keys.reader, org = api.org.name) =>
  api.call(getLedgerProof, { params: { org }, key, query });
const list = (query: Record<string, string>, key = api.org.keys.reader) => api.call(listLedgerEntries, { key, query });
const proven = (query: Record<string, string>) => provenBy(api, ledger.policy(), query);

await givenFlow(api, 'shop');
await givenTrail(api, 'shop', 'release-1');
await givenArtifact(api, 'shop', 'a', { trail_name: 'release-1', template_reference_name: 'backend' });
const attestation = attestationIdOf(
  await attest(api, 'shop', 'release-1', { attestation_name: 'unit-tests', is_compliant: true }),
);
await givenEnvironment(api, 'prod');
await givenPolicy(api, 'prod-release', REQUIRES_PROVENANCE);
await givenPolicy(api, 'prod-release', REQUIRES_TESTS);
for (const digit of ['a', 'b', 'c']) {
  api.clock.now = new Date(api.clock.now.getTime() + 1_000);
  await givenReport(api, 'prod', [['backend', fingerprint(digit)]]);
}
await ledger.seal();

it('proves each kind of subject, by the newest entry about it', async () => {
  const ofTrail = await proven({ trail: 'shop/release-1' });
  expect(ofTrail.entry).toMatchObject({ leaf: { type: 'trail.begun' }, actorName: 'acme-admin' });
  expect(JSON.parse(ofTrail.entry.payload ?? '')).toMatchObject({ flow: 'shop', name: 'release-1' });
  const id = ofTrail.entry.leaf.subject_id;
  expect((await proven({ trail: id })).entry.leaf.id).toBe(ofTrail.entry.leaf.id);

  const ofArtifact = await proven({ artifact: fingerprint('a') });
  expect(JSON.parse(ofArtifact.entry.payload ?? '')).toMatchObject({ fingerprint: fingerprint('a') });
  expect((await proven({ artifact: ofArtifact.entry.leaf.subject_id })).entry.leaf).toEqual(ofArtifact.entry.leaf);

  const ofAttestation = await proven({ attestation });
  expect(ofAttestation.entry.leaf).toMatchObject({ type: 'attestation.recorded', subject_id: attestation });
  expect((await proven({ entry: ofAttestation.entry.leaf.id })).entry).toEqual(ofAttestation.entry);
  expect((await proven({ environment: 'prod' })).entry.leaf.subject_kind).toBe('environment');
});

it('proves one snapshot of many, and one version of a policy', async () => {
  for (const number of [1, 2, 3]) {
    const { entry } = await proven({ snapshot: `prod#${number}` });
    expect(entry.leaf.type).toBe('snapshot.recorded');
    expect(JSON.parse(entry.payload ?? '')).toMatchObject({ environment: 'prod', index: number });
  }
  const newest = await proven({ policy: 'prod-release' });
  const first = await proven({ policy: 'prod-release@1' });
  expect(first.entry.leaf).toMatchObject({ type: 'policy.versioned', subject_id: newest.entry.leaf.subject_id });
  expect(JSON.parse(first.entry.payload ?? '')).toMatchObject({ name: 'prod-release', version: 1 });
});

it('lists the entries of a subject, newest first, each with its checkpoint', async () => {
  const { body } = await list({ policy: 'prod-release' });
  expect(body.data.map(({ type }) => type)).toContain('policy.created');
  expect(body.data.map(({ index }) => index)).toEqual(body.data.map(({ index }) => index).toSorted((a, b) => b - a));
  expect(body.data[0]).toMatchObject({
    actor_name: 'member',
    sealed: { epoch: 1, number: expect.any(Number) as number, witnesses: 0, time_stamped: false },
  });
  expect(body.data.at(-1)?.summary).toContain('prod-release');

  const pages: string[] = [];
  let after: string | null | undefined;
  do {
    const page = await list({ environment: 'prod', per_page: '2', ...(after && { after }) });
    pages.push(...page.body.data.map(({ entry_id }) => entry_id));
    after = page.body.pagination.next;
  } while (after);
  const whole = await list({ environment: 'prod', per_page: '100' });
  expect(pages).toEqual(whole.body.data.map(({ entry_id }) => entry_id));
  expect(pages.length).toBeGreaterThan(3);
});

it('needs exactly one subject that exists', async () => {
  expect((await prove({})).status).toBe(400);
  const both = await prove({ trail: 'shop/release-1', environment: 'prod' });
  expect(both).toMatchObject({ status: 400, body: { errors: { 'query.environment': expect.anything() as unknown } } });
  for (const query of [
    { trail: 'release-1' },
    { trail: '/x' },
    { snapshot: 'prod' },
    { snapshot: 'prod#0' },
    { policy: 'a@b@c' },
    { policy: 'a@latest' },
    { entry: 'x' },
    { attestation: 'x' },
  ])
    expect((await prove(query as never)).status, JSON.stringify(query)).toBe(400);
  expect((await list({ trail: 'shop/release-1', after: 'j.1' })).status).toBe(400);
  for (const query of [
    { trail: 'shop/none' },
    { trail: 'none/release-1' },
    { trail: NOBODY },
    { artifact: fingerprint('f') },
    { artifact: NOBODY },
    { attestation: NOBODY },
    { decision: attestation },
    { entry: NOBODY },
    { environment: 'none' },
    { snapshot: 'prod#9' },
    { policy: 'none' },
    { policy: 'prod-release@9' },
  ])
    expect((await prove(query as never)).status, JSON.stringify(query)).toBe(404);
});

it('proves a control decision by its own id', async () => {
  const answer = await api.call(attestDecision, {
    params: { flow_name: 'shop', trail_name: 'release-1' },
    body: { attestation_name: 'change', control: 'SDLC-1', attestation_data: { is_compliant: true } },
  });
  expect(answer.status).toBe(201);
  await ledger.seal();
  const decision = attestationIdOf(answer);
  expect((await proven({ decision })).entry.leaf.subject_id).toBe(decision);
});

it('is for members of the org, and entries about people only for admins', async () => {
  expect((await prove({ environment: 'prod' }, '')).status).toBe(401);
  const other = await api.givenOrg('other');
  expect((await prove({ environment: 'prod' }, other.keys.admin)).status).toBe(403);
  expect((await prove({ attestation }, other.keys.admin, 'other')).status).toBe(404);
  await ledger.seal();
  const { entry } = await proven({ attestation });
  expect((await prove({ entry: entry.leaf.id }, other.keys.admin, 'other')).status).toBe(404);

  const { rows } = await sql<{ id: string }>`
    select id from journal where org_id = ${api.org.id} and type = 'service_account.created' limit 1`.execute(
    api.owner,
  );
  const about = rows[0]?.id ?? '';
  expect((await proven({ entry: about })).entry.leaf.type).toBe('service_account.created');
  for (const role of ['reader', 'member', 'snapshotter'] as const) {
    expect((await prove({ entry: about }, api.org.keys[role])).status).toBe(403);
    const listed = await list({ entry: about }, api.org.keys[role]);
    expect([listed.status === 200 ? listed.body.data : [], listed.status]).toEqual([[], listed.status]);
  }
});

it('answers 503 with a time to wait until the entry is sealed', async () => {
  const fresh = attestationIdOf(
    await attest(api, 'shop', 'release-1', { attestation_name: 'late', is_compliant: true }),
  );
  const early = await prove({ attestation: fresh });
  expect(early).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  const { rows } = await sql<{ id: string }>`
    select id from journal where org_id = ${api.org.id} and subject_id = ${fresh}`.execute(api.owner);
  const entry = rows[0]?.id ?? '';
  expect((await prove({ entry })).status).toBe(503);

  await sql`update sealer set stopped_at = now(), stopped_because = 'Checkpoint 7 differs'`.execute(api.owner);
  const stopped = await prove({ attestation: fresh });
  expect(stopped).toMatchObject({ status: 503, headers: { 'retry-after': '60' } });
  expect(JSON.stringify(stopped.body)).toContain('Checkpoint 7 differs');
  await sql`update sealer set stopped_at = null, stopped_because = null, has_key = false`.execute(api.owner);
  expect((await prove({ attestation: fresh })).status).toBe(404);
  await sql`update sealer set has_key = true`.execute(api.owner);

  await ledger.seal();
  expect((await proven({ attestation: fresh })).entry.leaf.subject_id).toBe(fresh);
});

it('proves an erased entry by its digests, without its content', async () => {
  const before = await proven({ attestation });
  const ctx = systemCtx(api.db, api.org.id, 'tests', noLog);
  await eraseEntry(ctx, before.entry.leaf.id, 'A request under the GDPR');
  await ledger.seal();
  const answer = await prove({ attestation });
  const after = parseLedgerProof(answer.body);
  expect(after.entry).toMatchObject({ leaf: before.entry.leaf, nonce: null, payload: null, actorName: null });
  const { ok, steps } = await verifyLedgerProof(after, parsePolicy(ledger.policy()));
  expect([ok, steps[0]?.outcome]).toEqual([true, 'not_checked']);
  expect((await list({ attestation })).body.data[0]).toMatchObject({ actor_name: null, type: 'attestation.recorded' });
});

it('is a file that nobody else may cache', async () => {
  const { headers } = await prove({ environment: 'prod' });
  expect(headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'content-disposition': expect.stringMatching(/\.tlog-proof"$/) as string,
  });
});

it('finds an environment by a name it had before', async () => {
  await api.call(renameEnvironment, { params: { env_name: 'prod' }, body: { new_name: 'production' } as never });
  await ledger.seal();
  expect((await proven({ snapshot: 'prod#2' })).entry.leaf.type).toBe('snapshot.recorded');
});
