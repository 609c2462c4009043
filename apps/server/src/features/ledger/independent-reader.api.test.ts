import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getLedger, getTrustPolicy } from '@waymark/contract';
import { formatVerifierKey, parsePolicy, verifierKey } from '@waymark/transparency';
import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { buildTlogReader } from '../../../../../tools/services/tlog-reader.ts';
import { isFull } from '../../../../../tools/test-size.ts';
import { givenCosignature, givenWitnesses, policyOf } from '../../../test/given/cosignatures.ts';
import { givenEntries, givenServedLedger } from '../../../test/given/proofs.ts';
import { startApi, type TestOrg } from '../../../test/harness.ts';
import { LEAF_HASH } from '../../platform/journal/leaf.ts';

const reader = buildTlogReader();
const witnesses = await givenWitnesses('alpha', 'beta');
const api = await startApi({ ledger: { name: 'waymark.test/eu', witnesses: policyOf(witnesses) } });
const address = await api.app.http.listen({ host: '127.0.0.1', port: 0 });
const ledger = await givenServedLedger(api);
const directory = await mkdtemp(join(tmpdir(), 'waymark-tlog-reader-'));
afterAll(() => rm(directory, { recursive: true }));

const ENTRIES = isFull ? 70_000 : 3_000;
const HEADS = isFull ? 3_000 : 600;

interface Read {
  readonly origin: string;
  readonly size: number;
  readonly root: string;
  readonly entries: number;
  readonly inclusions: number;
  readonly consistent_with: number;
  readonly checkpoint: string;
}

async function read(url: string, policy: string, more: { token?: string; old?: string } = {}): Promise<Read> {
  const file = join(directory, 'trust.txt');
  await writeFile(file, policy);
  const flags = ['-url', url, '-policy', file];
  if (more.token !== undefined) flags.push('-token', more.token);
  if (more.old !== undefined) {
    await writeFile(join(directory, 'old.checkpoint'), more.old);
    flags.push('-old', join(directory, 'old.checkpoint'));
  }
  const { stdout } = await promisify(execFile)(reader, flags, { timeout: 300_000 });
  return JSON.parse(stdout) as Read;
}

const write = (orgs: readonly string[], count: number) => givenEntries(api.owner, orgs, count);
const trustPolicy = async () => (await api.call(getTrustPolicy, { key: '' })).body;

/** The log of an org is signed with the key of the region log, under its own name. Witnesses cosign the region log. */
async function policyOfOrg(org: TestOrg): Promise<string> {
  const { origin } = (await api.call(getLedger, { params: { org: org.name }, key: org.keys.reader })).body;
  const [log] = parsePolicy(await trustPolicy()).logs;
  if (!log) throw new Error('the policy has no log');
  return `log ${formatVerifierKey(verifierKey(origin ?? '', log.key.algorithm, log.key.publicKey))}\nquorum none\n`;
}

it('a Go program with the libraries of others reads the log of an org, and finds that it only grew', async () => {
  const org = await api.givenOrg('read-by-go');
  await write([org.id], 10);
  await ledger.seal();
  const policy = await policyOfOrg(org);
  const url = `${address}/api/v2/ledger/${org.name}`;
  let old: Read | undefined;
  for (const more of [0, 245, 1, 256, ENTRIES]) {
    if (more > 0) await write([org.id], more);
    await ledger.seal();
    const now: Read = await read(url, policy, { token: org.keys.reader, ...(old && { old: old.checkpoint }) });
    expect(now).toMatchObject({ entries: now.size, inclusions: 50, consistent_with: old?.size ?? 0 });
    const { body } = await api.call(getLedger, { params: { org: org.name }, key: org.keys.reader });
    expect([now.size, Buffer.from(now.root, 'base64').toString('hex')]).toEqual([body.size, body.root]);
    old = now;
  }
  expect(old?.size).toBeGreaterThan(ENTRIES);
});

it('reads the region log with the trust policy that the service publishes, cosigned by a quorum', async () => {
  const orgs = Array.from({ length: HEADS }, (_, i) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`);
  await write(orgs, 1);
  await ledger.seal();
  const policy = await trustPolicy();
  const url = `${address}/api/v2/region-log/1`;
  await expect(read(url, policy)).rejects.toThrow(/policy|verif/i);
  for (const witness of witnesses) await givenCosignature(api.owner, witness);
  const before = await read(url, policy);
  expect(before).toMatchObject({ origin: 'waymark.test/eu/1', entries: before.size, inclusions: 50 });
  await write(orgs, 1);
  await ledger.seal();
  for (const witness of witnesses) await givenCosignature(api.owner, witness);
  const after = await read(url, policy, { old: before.checkpoint });
  expect(after).toMatchObject({ entries: before.size + HEADS, consistent_with: before.size });
});

it('finds a rewritten log, although it is signed with the same key', async () => {
  const org = await api.givenOrg('rewritten');
  await write([org.id], 300);
  await ledger.seal();
  const policy = await policyOfOrg(org);
  const url = `${address}/api/v2/ledger/${org.name}`;
  const { checkpoint } = await read(url, policy, { token: org.keys.reader });
  await sql`update journal set type = 'test.changed' where org_id = ${org.id} and type = 'test.written'
    and subject_seq = 200`.execute(api.owner);
  await expect(read(url, policy, { token: org.keys.reader })).rejects.toThrow(/hash mismatch/);
  await sql`delete from org_log_tile where org_id = ${org.id}`.execute(api.owner);
  await sql`update ledger set leaf_hash = ${sql.raw(LEAF_HASH)} from journal
    where ledger.org_id = ${org.id} and journal.org_id = ledger.org_id and journal.seq = ledger.entry_seq`.execute(
    api.owner,
  );
  await sql`update org_log set size = 0, position = 0, roots = '', root = sha256('') where org_id = ${org.id}`.execute(
    api.owner,
  );
  await sql`delete from org_log_checkpoint where org_id = ${org.id}`.execute(api.owner);
  await write([org.id], 1);
  await ledger.seal();
  expect(await read(url, policy, { token: org.keys.reader })).toMatchObject({ inclusions: 50 });
  await expect(read(url, policy, { token: org.keys.reader, old: checkpoint })).rejects.toThrow(/invalid.*proof|proof/);
});
