import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { artifactOf, attested, built, type Caller, call, reported } from '../../../../tools/bench/rejudge/fleet.ts';
import { setMembership } from '../../src/features/memberships/membership.service.ts';
import { createUser } from '../../src/features/memberships/sign-up.service.ts';
import type { Db } from '../../src/platform/db/db.ts';
import { orgTablesOf } from '../org-queries.ts';
import { untilProcessed } from './evidence.ts';
import { givenInstallation, givenOrg, type Installation, type Org } from './installation.ts';
import { givenPostgres } from './private-services.ts';
import { runCommand, type ServerProcess } from './processes.ts';
import { givenReceivers, type Receivers } from './receivers.ts';
import { spendTransactionIds } from './transaction-ids.ts';

const APP = artifactOf('app');
const POLICY = `_schema: https://example.com/policy/v1
artifacts:
  attestations:
    - { name: review, type: generic }
`;

const TEMPLATE = `version: 1
trail:
  attestations:
    - { name: approved, type: generic }
`;

/** The pages of the org that both installations have to show alike. */
const PAGES = [
  '/trails/acme/web/build-1',
  '/trails/acme/web/build-1/explain',
  '/trails/acme/web/build-1/events',
  `/artifacts/acme/web/fingerprint/${APP.fingerprint}`,
  '/attestations/acme/web/trail/build-1/review',
  '/flows/acme',
  '/environments/acme',
  '/environments/acme/prod/events',
  '/snapshots/acme/prod/1',
  '/snapshots/acme/prod/-1',
  '/policies/acme/reviewed',
  '/organizations/acme/environments_notifications',
  '/activity/acme',
];

interface Site {
  readonly site: Installation;
  readonly worker: ServerProcess;
}

it('copies an org into a cluster with lower transaction ids, where it goes on', async () => {
  const { source, target, receivers } = await givenTwoSites();
  const org = await givenOrg(source.site.ctx, 'acme');
  const ada = await createUser(source.site.ctx, { login: 'ada', displayName: 'Ada', email: 'ada@example.com' });
  await setMembership({ ...source.site.ctx, org: org.id }, ada, 'admin', 'script');
  await givenHistory(callerOf(source.site, org), receivers.url('acme'));
  const neighbor = await givenOrg(target.site.ctx, 'neighbor');
  await givenHistory(callerOf(target.site, neighbor), receivers.url('neighbor'));
  await untilProcessed(target.site.db);
  await untilProcessed(source.site.db);
  await untilDelivered(source.site.db);
  await givenDeadLetter(source.site.db, org.id);
  expect(await highestTransaction(source.site.db)).toBeGreaterThan(await highestTransaction(target.site.db));
  await allowOneTick(target.site.db);
  const before = await Promise.all(PAGES.map((page) => read(source.site, org, page)));
  expect(before.map(({ status }) => status)).toEqual(PAGES.map(() => 200));
  const sent = receivers.received('acme').length;
  expect(sent).toBeGreaterThan(0);

  // The neighbor writes all the time.
  const stop = writeUntilStopped(callerOf(target.site, neighbor));
  const dry = await copy(source.site, target.site, '--dry-run');
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining("Org 'acme' would be copied: ") });
  expect(await target.site.db.selectFrom('org').select('name').where('name', '=', 'acme').execute()).toEqual([]);
  const copied = await copy(source.site, target.site);
  expect(copied.stderr).toBe('');
  expect(copied).toMatchObject({ code: 0, stdout: expect.stringContaining("Org 'acme' copied: ") });
  const written = await stop();
  await untilProcessed(target.site.db);

  expect(await placesOf(target.site.db, org.id)).toEqual(await placesOf(source.site.db, org.id));
  const after = await Promise.all(PAGES.map((page) => read(target.site, org, page)));
  expect(after).toEqual(before);
  const { rows: letters } = await sql`
    select journal.id from dead_letter join journal using (org_id, seq) where org_id = ${org.id}`.execute(
    target.site.db,
  );
  expect(letters).toHaveLength(1);
  const now = Math.floor(Date.now() / 1000);
  expect(await read(target.site, org, `/activity/acme?to=${now}`)).toEqual(
    await read(source.site, org, `/activity/acme?to=${now}`),
  );
  expect((await fetchAs(target.site, org, '/trails/acme/web/build-1/audit_package')).status).toBe(200);
  const user = await target.site.db.selectFrom('user_account').selectAll().where('id', '=', ada.id).executeTakeFirst();
  expect(user).toMatchObject({ login: 'ada', email: 'ada@example.com' });

  // New evidence is newer than all that was copied.
  expect(await verdictOf(target.site, org)).toEqual(['COMPLIANT', 'compliant']);
  const there = callerOf(target.site, org);
  await review(there, false);
  await untilProcessed(target.site.db);
  await expect.poll(() => verdictOf(target.site, org), { timeout: 60_000 }).toEqual(['NON-COMPLIANT', 'non-compliant']);
  await expect.poll(() => receivers.received('acme').length, { timeout: 60_000 }).toBe(sent + 1);
  expect(await verdictOf(source.site, org)).toEqual(['COMPLIANT', 'compliant']);

  // The other org of the target has what it wrote, and no processor has failed.
  const flows = await target.site.db
    .selectFrom('flow')
    .select('name')
    .where('org_id', '=', neighbor.id)
    .where('name', 'like', 'meanwhile-%')
    .execute();
  expect(flows).toHaveLength(written);
  expect(written).toBeGreaterThan(0);
  expect(await failuresOf(target.site.db, neighbor.id)).toBe(0);

  expect(await copy(source.site, target.site)).toMatchObject({
    code: 1,
    stderr: "Org 'acme' is in the target already. An org is copied once\n",
  });
});

it('leaves nothing when it fails, and says why', async () => {
  const { source, target, receivers } = await givenTwoSites();
  const org = await givenOrg(source.site.ctx, 'acme');
  await givenHistory(callerOf(source.site, org), receivers.url('acme'));
  const ada = await createUser(source.site.ctx, { login: 'ada', displayName: null, email: 'ada@example.com' });
  await setMembership({ ...source.site.ctx, org: org.id }, ada, 'member', 'script');
  await untilProcessed(source.site.db);
  const rival = await createUser(target.site.ctx, { login: 'other', displayName: null, email: 'Ada@example.com' });
  const expectRefusal = async (reason: string) =>
    expect(await copy(source.site, target.site)).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) });
  await expectRefusal("The target has other users or orgs with the address 'ada@example.com' of user 'ada'");
  await target.site.db.updateTable('user_account').set({ email: null }).where('id', '=', rival.id).execute();

  await sql`insert into migration (name, applied_at) values ('9999_later', now())`.execute(target.site.db);
  await expectRefusal("The schemas differ: the last migration here is '");
  await sql`delete from migration where name = '9999_later'`.execute(target.site.db);

  // The last of what is written fails.
  await sql`alter table org_import add constraint no_import check (last_seq < 0)`.execute(target.site.db);
  const failed = await copy(source.site, target.site);
  expect(failed.code).not.toBe(0);
  expect(failed.stderr).toContain('no_import');
  await sql`alter table org_import drop constraint no_import`.execute(target.site.db);

  // Rows of other orgs come and go meanwhile: the worker of the target seals and sweeps.
  expect(await tablesWith(target.site.db, org.id)).toEqual([]);
  expect(await tablesWith(source.site.db, org.id)).toEqual(expect.arrayContaining(['journal', 'flow', 'attestation']));
  const { db } = target.site;
  expect(await db.selectFrom('org').select('name').where('name', 'in', ['acme', 'ada']).execute()).toEqual([]);
  expect(await db.selectFrom('user_account').select('login').where('login', '=', 'ada').execute()).toEqual([]);

  await source.worker.stop();
  await call(callerOf(source.site, org), {
    ...{ method: 'PUT', path: '/flows/acme' },
    body: { name: 'late', template: 'version: 1' },
  });
  await expectRefusal("1 entries of org 'acme' have no place in the ledger yet. Stop writing to the org");
  await source.site.startWorker();
  await untilProcessed(source.site.db);
  expect(await copy(source.site, target.site)).toMatchObject({ code: 0 });
});

async function givenTwoSites(): Promise<{ source: Site; target: Site; receivers: Receivers }> {
  const receivers = await givenReceivers(() => 'good');
  const env = {
    WAYMARK_SECRET_KEY: randomBytes(32).toString('base64'),
    WAYMARK_OUTBOUND_NETWORKS: '127.0.0.0/8,::1/128',
    NODE_EXTRA_CA_CERTS: receivers.caFile,
  };
  const source = await startSite(await givenInstallation({ env }));
  await spendTransactionIds(source.site.db);
  const { url: databaseUrl } = await givenPostgres();
  return { source, target: await startSite(await givenInstallation({ env, databaseUrl })), receivers };
}

async function startSite(site: Installation): Promise<Site> {
  await site.startApi();
  return { site, worker: await site.startWorker() };
}

function callerOf(site: Installation, { name, key }: Org): Caller {
  return { url: site.url, org: name, key };
}

async function givenHistory(caller: Caller, receiver: string): Promise<void> {
  const { org } = caller;
  const put = (path: string, body: object) => call(caller, { method: 'PUT', path, body });
  await put(`/flows/${org}`, { name: 'web', template: TEMPLATE });
  await call(caller, built(org, 'web', 'build-1', APP));
  await put(`/policies/${org}/reviewed`, { policy_yaml: POLICY });
  await put(`/environments/${org}`, { name: 'prod', type: 'server', policies: ['reviewed'] });
  await put(`/organizations/${org}/environments_notifications`, {
    ...{ name: 'red', type: 'env', environments: ['prod'], triggers: ['ON_NON_COMPLIANT_ENV'] },
    targets: [{ type: 'WEBHOOK', webhook: receiver }],
  });
  await review(caller, false);
  await call(caller, reported(org, 'prod', [APP]));
  await expectCompliance(caller, 'non-compliant');
  await review(caller, true);
  await expectCompliance(caller, 'compliant');
}

/** Of the artifact, which its environments are judged by, and of the trail. */
async function review(caller: Caller, isCompliant: boolean): Promise<void> {
  await call(caller, attested(caller.org, 'web', 'build-1', 'review', APP, isCompliant));
  const path = `/attestations/${caller.org}/web/trail/build-1/generic`;
  const body = { attestation_name: 'approved', is_compliant: isCompliant };
  await call(caller, { method: 'POST', path, body });
}

async function expectCompliance(caller: Caller, expected: string): Promise<void> {
  const compliance = async () => {
    const response = await fetch(`${caller.url}/api/v2/environments/${caller.org}/prod`, {
      headers: { authorization: `Bearer ${caller.key}` },
    });
    return ((await response.json()) as { compliance: string }).compliance;
  };
  await expect.poll(compliance, { timeout: 60_000 }).toBe(expected);
}

/** Puts flows into an org, one after another; returns how to stop, which tells how many were acknowledged. */
function writeUntilStopped(caller: Caller): () => Promise<number> {
  const stopping = new AbortController();
  const writing = (async () => {
    for (let written = 0; ; written++) {
      if (stopping.signal.aborted) return written;
      const body = { name: `meanwhile-${written}`, template: 'version: 1' };
      await call(caller, { method: 'PUT', path: `/flows/${caller.org}`, body });
    }
  })();
  writing.catch(() => undefined);
  return () => {
    stopping.abort();
    return writing;
  };
}

async function fetchAs(site: Installation, { key }: Org, path: string): Promise<Response> {
  return fetch(`${site.url}/api/v2${path}`, { headers: { authorization: `Bearer ${key}` } });
}

/** Addresses of the installation differ and the time of judging, and nothing else. */
async function read(site: Installation, org: Org, path: string): Promise<{ status: number; body: unknown }> {
  const response = await fetchAs(site, org, path);
  const body = (await response.text())
    .replaceAll(site.url, '')
    .replaceAll(/"evaluated_at":[\d.]+/g, '"evaluated_at":0');
  return { status: response.status, body: JSON.parse(body) as unknown };
}

async function verdictOf(site: Installation, org: Org): Promise<unknown[]> {
  const trail = await read(site, org, '/trails/acme/web/build-1');
  const environment = await read(site, org, '/environments/acme/prod');
  return [
    (trail.body as { compliance_state: string }).compliance_state,
    (environment.body as { compliance: string }).compliance,
  ];
}

async function copy(source: Installation, target: Installation, ...options: string[]) {
  return runCommand(['org', 'copy', 'acme', '--to', target.databaseUrl, ...options], source.env);
}

async function placesOf(db: Db, org: string) {
  const { rows } = await sql<{ index: number; entry_id: string; leaf: string }>`
    select index, entry_id, encode(leaf_hash, 'hex') as leaf from ledger where org_id = ${org} order by index`.execute(
    db,
  );
  return rows;
}

async function givenDeadLetter(db: Db, org: string): Promise<void> {
  await sql`
    insert into dead_letter (org_id, processor, seq, recorded_at, type, error, failed_at)
    select org_id, 'flow-activity', seq, recorded_at, type, 'by the test', now() from journal
    where org_id = ${org} order by seq offset 3 limit 1`.execute(db);
}

/** As if the numbers of the target had stood at 1 until tomorrow: limits a read by time, but not of what was copied. */
async function allowOneTick(db: Db): Promise<void> {
  await sql`insert into journal_tick (at, seq) values (now() + interval '25 hours', 1)`.execute(db);
}

async function untilDelivered(db: Db): Promise<void> {
  const waiting = async () => {
    const { rows } = await sql<{ waiting: number }>`
      select (select count(*) from delivery where state = 'waiting')
        + (select count(*) from message where open_until is not null) as waiting`.execute(db);
    return rows[0]?.waiting;
  };
  await expect.poll(waiting, { timeout: 60_000 }).toBe(0);
}

async function failuresOf(db: Db, org: string): Promise<number> {
  const letters = await db.selectFrom('dead_letter').select('seq').where('org_id', '=', org).execute();
  return letters.length;
}

async function highestTransaction(db: Db): Promise<number> {
  const { rows } = await sql<{
    xid: number;
  }>`select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xid`.execute(db);
  return rows[0]?.xid ?? 0;
}

/** The tables that have rows of an org. */
async function tablesWith(db: Db, org: string): Promise<string[]> {
  const found: string[] = [];
  for (const table of await orgTablesOf(db)) {
    const { rows } = await sql`select from ${sql.table(table)} where org_id = ${org} limit 1`.execute(db);
    if (rows.length > 0) found.push(table);
  }
  return found;
}
