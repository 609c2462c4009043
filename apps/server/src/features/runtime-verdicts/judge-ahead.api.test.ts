import { hash, randomUUID } from 'node:crypto';
import {
  approveChangeRequest,
  attachPolicies,
  getSnapshot,
  putPolicy,
  reportArtifact,
  type Snapshot,
} from '@waymark/contract';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { givenAsked, givenTwoPeopleOrg } from '../../../test/given/change-control.ts';
import { environmentOf, givenEnvironment } from '../../../test/given/environments.ts';
import { artifact, attest, givenFlow } from '../../../test/given/evidence.ts';
import {
  attestationPolicy,
  givenAttached,
  givenPolicy,
  REQUIRES_PROVENANCE,
  REQUIRES_TESTS,
} from '../../../test/given/policies.ts';
import { givenRunning } from '../../../test/given/runs.ts';
import { givenReevaluations } from '../../../test/given/worker.ts';
import { type Answer, noLog, startApi } from '../../../test/harness.ts';
import { type Ctx, inTransaction, systemCtx } from '../../platform/ctx.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import { allowArtifact } from '../waivers/waiver.service.ts';
import { tryLockEnvironments } from './environment-lock.store.ts';
import { judgeAhead } from './judge-ahead.service.ts';
import { deleteRequests, listRequests, queueOwnRequests } from './reevaluation/reevaluation-queue.store.ts';

const api = await startApi();
const { turns, takeQueued, settle } = await givenReevaluations(api);
const ctx = { ...systemCtx(api.db, api.org.id, 'tests', noLog), now: () => api.clock.now };

beforeAll(async () => {
  await givenFlow(api, 'web', 'version: 1');
});

interface Judged {
  readonly environment: string;
  readonly id: string;
  readonly policy: string;
  readonly app: string;
}

/** An environment with a policy, and an artifact that was reported. */
async function given(policyYaml = REQUIRES_TESTS): Promise<Judged> {
  const [environment, policy, app] = [`e-${randomUUID()}`, `p-${randomUUID()}`, hash('sha256', randomUUID())];
  await givenPolicy(api, policy, policyYaml);
  await givenEnvironment(api, environment);
  await givenAttached(api, environment, [policy]);
  const body = { ...artifact('a'), fingerprint: app, trail_name: app.slice(0, 12) };
  expect((await api.call(reportArtifact, { params: { flow_name: 'web' }, body })).status).toBe(201);
  const { id } = await environmentOf(api, environment);
  return { environment, id, policy, app };
}

async function tested(app: string, is_compliant = true): Promise<void> {
  const body = { attestation_name: 'unit-tests', is_compliant, artifact_fingerprint: app };
  expect((await attest(api, 'web', app.slice(0, 12), body)).status).toBe(201);
}

async function snapshot(environment: string, index = '-1'): Promise<Snapshot> {
  const params = { env_name: environment, snapshot_expression: index };
  const answer = (await api.call(getSnapshot, { params })) as Answer<Snapshot>;
  expect(answer.status).toBe(200);
  return answer.body;
}

/** The number of transactions in this database that wait for the lock of an environment. */
async function countWaiting(): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::integer as waiting from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and not granted and datname = current_database()`.execute(api.db);
  return rows[0]?.waiting ?? 0;
}

/** Starts `work`, and makes `change` once it has judged and waits for the lock of the environment. */
async function changedMeanwhile<T>(
  { id }: Judged,
  work: () => Promise<T>,
  change: (ctx: Ctx) => Promise<unknown>,
): Promise<T> {
  let working: Promise<T> | undefined;
  await inTransaction(ctx, async (ctx) => {
    await lockSubject(ctx.db, ctx.org, 'environment', id);
    working = work();
    await expect.poll(countWaiting).toBe(1);
    await change(ctx);
  });
  return working as Promise<T>;
}

/** As every entry about an environment does. */
async function raiseRevision(ctx: Ctx, { id }: Judged): Promise<void> {
  await sql`update environment set revision = revision + 1 where org_id = ${ctx.org} and id = ${id}`.execute(ctx.db);
}

describe('a report', () => {
  it('is judged again when a waiver is made after it was judged', async () => {
    const judged = await given();
    const { environment, app } = judged;
    const waiver = { fingerprint: app, artifactName: 'app', reason: 'for now', expiresAt: null };
    await changedMeanwhile(
      judged,
      () => givenRunning(api, environment, { app }),
      (ctx) => allowArtifact(ctx, environment, waiver),
    );
    expect(await snapshot(environment)).toMatchObject({ index: 1, compliance: 'compliant' });
  });

  it('is judged by the version of a policy that was saved after it was judged', async () => {
    const judged = await given(REQUIRES_PROVENANCE);
    const { environment, policy, app } = judged;
    await changedMeanwhile(
      judged,
      () => givenRunning(api, environment, { app }),
      () => givenPolicy(api, policy, REQUIRES_TESTS),
    );
    expect(await snapshot(environment, '1')).toMatchObject({
      compliance: 'non-compliant',
      applied_policies: [{ version: 2 }],
    });
  });

  it('is judged again when something was recorded about the environment after it was judged', async () => {
    const judged = await given();
    const { environment, app } = judged;
    await changedMeanwhile(
      judged,
      () => givenRunning(api, environment, { app }),
      async (ctx) => {
        await tested(app);
        await raiseRevision(ctx, judged);
      },
    );
    expect(await snapshot(environment)).toMatchObject({ index: 1, compliance: 'compliant' });
  });

  it('is re-evaluated when evidence arrived after it was judged', async () => {
    const judged = await given();
    const { environment, app } = judged;
    await changedMeanwhile(
      judged,
      () => givenRunning(api, environment, { app }),
      () => tested(app),
    );
    expect(await snapshot(environment)).toMatchObject({ index: 1, compliance: 'non-compliant' });
    await settle();
    expect(await snapshot(environment)).toMatchObject({ index: 2, compliance: 'compliant' });
  });
});

describe('a re-evaluation', () => {
  it('keeps a waiver that was made after it was judged', async () => {
    const { environment, app } = await given();
    await tested(app);
    await givenRunning(api, environment, { app });
    await settle();
    await tested(app, false);
    await turns.untilDone();
    const storing = await holdTable('evidence_state');
    const working = takeQueued();
    await expect.poll(() => countOn('evidence_state')).toBe(1);
    const waiver = { fingerprint: app, artifactName: 'app', reason: 'for now', expiresAt: null };
    const waiving = allowArtifact(ctx, environment, waiver);
    await expect.poll(() => countOn('evidence_state')).toBe(2);
    await storing.commit().execute();
    await Promise.all([working, waiving]);
    await settle();
    expect(await snapshot(environment, '2')).toMatchObject({ artifacts: [{ compliance: 'waived' }] });
    expect(await snapshot(environment)).toMatchObject({ index: 2 });
  });

  it('uses the tags that were set after it was judged', async () => {
    const judged = await given(attestationPolicy(`{ type: junit, if: '\${{ environment.tags.risk == "high" }}' }`));
    const { environment, id, app } = judged;
    await givenRunning(api, environment, { app });
    await settle();
    await tested(app);
    await turns.untilDone();
    const reading = await holdTable('trail');
    const working = takeQueued();
    await expect.poll(() => countOn('trail')).toBe(1);
    await inTransaction(ctx, async (ctx) => {
      await sql`
        insert into tag (org_id, subject_kind, subject_id, key, value)
        values (${ctx.org}, 'environment', ${id}, 'risk', 'high')`.execute(ctx.db);
      await raiseRevision(ctx, judged);
    });
    await reading.commit().execute();
    expect(await working).toBe(1);
    expect(await snapshot(environment)).toMatchObject({ index: 2, compliance: 'non-compliant' });
  });

  it('leaves an environment that is busy when it comes to record, and records the others', async () => {
    const [busy, calm] = [await given(), await given()];
    for (const { environment, app } of [busy, calm]) await givenRunning(api, environment, { app });
    await settle();
    for (const { app } of [busy, calm]) await tested(app);
    await turns.untilDone();
    const reading = await holdTable('trail');
    const working = takeQueued();
    await expect.poll(() => countOn('trail')).toBe(1);
    const changing = await api.db.startTransaction().execute();
    await lockSubject(changing, api.org.id, 'environment', busy.id);
    await reading.commit().execute();
    expect(await working).toBe(1);
    expect(await snapshot(calm.environment)).toMatchObject({ index: 2, compliance: 'compliant' });
    expect(await snapshot(busy.environment)).toMatchObject({ index: 1 });
    await changing.commit().execute();
    await settle();
    expect(await snapshot(busy.environment)).toMatchObject({ index: 2, compliance: 'compliant' });
  });

  it('does not overrule one that judged later and found nothing new', async () => {
    const { environment, app } = await given();
    await tested(app);
    await givenRunning(api, environment, { app });
    await settle();
    // Otherwise what has just started is re-evaluated anyway.
    api.clock.now = new Date(api.clock.now.getTime() + 60_000);
    await tested(app, false);
    await turns.untilDone();
    const storing = await holdTable('evidence_state');
    const waiver = { fingerprint: app, artifactName: 'app', reason: 'for now', expiresAt: null };
    const waiving = allowArtifact(ctx, environment, waiver);
    await expect.poll(() => countOn('evidence_state')).toBe(1);
    await tested(app);
    await turns.untilDone();
    expect(await takeQueued()).toBe(1);
    await storing.commit().execute();
    await waiving;
    await settle();
    expect(await snapshot(environment)).toMatchObject({ index: 1, artifacts: [{ compliance: 'compliant' }] });
  });

  it('leaves a request in the queue that was made anew, or is just being repeated', async () => {
    const { environment, id, app } = await given();
    await givenRunning(api, environment, { app });
    await settle();
    const request = () => queueOwnRequests(api.db, api.org.id, id, 'evidence', [app]);
    const listed = async () => (await listRequests(api.db, api.org.id, [id])).map((row) => row.request);
    const first = await request();
    await deleteRequests(api.db, api.org.id, first);
    expect(await listed()).toEqual([]);
    const [second] = await request();
    await deleteRequests(api.db, api.org.id, first);
    expect(await listed()).toEqual([second?.request]);

    const repeating = await api.db.startTransaction().execute();
    const [third] = await queueOwnRequests(repeating, api.org.id, id, 'evidence', [app]);
    await deleteRequests(api.db, api.org.id, second ? [second] : []);
    await repeating.commit().execute();
    expect(await listed()).toEqual([third?.request]);
    await deleteRequests(api.db, api.org.id, third ? [third] : []);
    expect(await listed()).toEqual([]);
  });
});

/** Nobody else writes to the table, nor reads the one of trails, until the transaction ends. */
async function holdTable(table: 'trail' | 'evidence_state') {
  const holding = await api.db.startTransaction().execute();
  const mode = table === 'trail' ? sql`access exclusive` : sql`exclusive`;
  await sql`lock table ${sql.table(table)} in ${mode} mode`.execute(holding);
  return holding;
}

/** The number of queries that wait for a table: for `trail` they judge, and for `evidence_state` they have judged. */
async function countOn(table: 'trail' | 'evidence_state'): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::integer as waiting from pg_locks join pg_stat_activity using (pid)
    where locktype = 'relation' and relation = ${table}::regclass and not granted and datname = current_database()`.execute(
    api.db,
  );
  return rows[0]?.waiting ?? 0;
}

/** The number of transactions other than this one that have an id, which the journal waits for. */
async function countWriting(): Promise<number> {
  const { rows } = await sql<{ writing: number }>`
    select count(*)::integer as writing from pg_stat_activity
    where backend_xid is not null and datname = current_database() and pid <> pg_backend_pid()`.execute(api.db);
  return rows[0]?.writing ?? 0;
}

describe('while it judges, without a lock and without a transaction id,', () => {
  it.each<[string, (judged: Judged) => Promise<unknown>]>([
    ['a report', ({ environment, app }) => givenRunning(api, environment, { app, again: app })],
    ['an attachment', ({ environment }) => givenAttached(api, environment, ['provenance'])],
    ['a re-evaluation', takeQueued],
  ])('%s holds up nobody', async (_, work) => {
    await givenPolicy(api, 'provenance');
    const judged = await given();
    await givenRunning(api, judged.environment, { app: judged.app });
    await settle();
    await tested(judged.app);
    await turns.untilDone();

    const reading = await holdTable('trail');
    const working = work(judged);
    await expect.poll(() => countOn('trail')).toBe(1);
    expect(await tryLockEnvironments(api.db, api.org.id, [judged.id])).toEqual([judged.id]);
    // The lock on the table takes one.
    expect(await countWriting()).toBe(1);
    await reading.commit().execute();
    await working;
    await settle();
    expect(await snapshot(judged.environment)).toMatchObject({ compliance: 'compliant' });
  });
});

describe('an attachment', () => {
  it('is judged in the name of who asked for it, not of who approved it', async () => {
    const { org, ada, bea } = await givenTwoPeopleOrg(api, 'pair');
    const params = { org: org.name };
    const approve = async ({ id }: { id: string }) => {
      const approved = await api.call(approveChangeRequest, { params: { ...params, id }, key: bea.key });
      expect(approved.status).toBe(200);
    };
    const policy = { params: { ...params, name: 'prod' }, key: ada.key, body: { policy_yaml: REQUIRES_PROVENANCE } };
    await approve(await givenAsked(api, putPolicy, policy));
    await givenEnvironment(api, 'live', 'server', {}, org);
    await givenRunning(api, 'live', { app: 'a' }, org);
    const attachment = { params: { ...params, env_name: 'live' }, key: ada.key, body: { policy_names: ['prod'] } };
    await approve(await givenAsked(api, attachPolicies, attachment));
    const recorded = (await api.journal(org)).filter(({ type }) => type === 'snapshot.recorded');
    expect(recorded.map(({ actor }) => actor).at(-1)).toBe(ada.login);
  });

  it('is judged by a worker when judging fails after the commit', async () => {
    const { environment, app } = await given(REQUIRES_PROVENANCE);
    await givenRunning(api, environment, { app });
    await settle();
    await givenPolicy(api, 'tests', REQUIRES_TESTS);
    await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`.execute(
      api.owner,
    );
    await sql`
      create trigger refuse before insert on snapshot for each row execute function refuse()`.execute(api.owner);
    const attached = await api.call(attachPolicies, {
      params: { env_name: environment },
      body: { policy_names: ['tests'] },
    });
    expect(attached.status).toBe(200);
    expect(await snapshot(environment)).toMatchObject({ index: 1, compliance: 'compliant' });
    await sql`drop trigger refuse on snapshot`.execute(api.owner);
    // A worker waits for the request to do it.
    expect(await takeQueued()).toBe(0);
    await sql`update environment_reevaluation set requested_at = now() where org_id = ${api.org.id}`.execute(api.db);
    expect(await takeQueued()).toBe(1);
    expect(await snapshot(environment)).toMatchObject({ index: 2, compliance: 'non-compliant', trigger: 'policy' });
  });
});

describe('judging ahead', () => {
  it('judges an environment that keeps changing under its lock', async () => {
    const { id } = await given();
    const judged: boolean[] = [];
    const recorded: string[] = [];
    await judgeAhead(ctx, [id], {
      async judge(ctx, ids) {
        judged.push(ctx.db.isTransaction);
        const { rows } = await sql<{ stamp: string }>`
          update environment set revision = revision + 1 where org_id = ${ctx.org} and id = ${id}
          returning revision::text as stamp`.execute(ctx.db);
        return ids.map((id) => ({ id, stamp: rows[0]?.stamp ?? '', work: `${judged.length}` }));
      },
      async record(_ctx, _ids, ahead) {
        recorded.push(...ahead.map(({ work }) => work));
      },
    });
    expect(judged).toEqual([false, false, true]);
    expect(recorded).toEqual(['3']);
  });

  it('records those that stayed the same at once, and judges only the others again', async () => {
    const [calm, busy] = [(await given()).id, (await given()).id];
    const asked: string[][] = [];
    const recorded: string[][] = [];
    await judgeAhead(ctx, [calm, busy], {
      async judge(ctx, ids) {
        asked.push([...ids]);
        const { rows } = await sql<{ id: string; stamp: string }>`
          select environment.id, environment.revision || ' ' || policy.id || ':' || policy.version as stamp
          from environment
          join environment_policy as attached on attached.org_id = environment.org_id
            and attached.environment_id = environment.id
          join policy on policy.org_id = attached.org_id and policy.id = attached.policy_id
          where environment.org_id = ${ctx.org} and environment.id = any(${ids}::uuid[])`.execute(ctx.db);
        if (asked.length === 1) {
          await sql`update environment set revision = revision + 1 where org_id = ${ctx.org} and id = ${busy}`.execute(
            ctx.db,
          );
        }
        return rows.map((row) => ({ ...row, work: undefined }));
      },
      async record(_, ids) {
        recorded.push([...ids]);
      },
    });
    expect(asked).toEqual([[calm, busy], [busy]]);
    expect(recorded).toEqual([[calm], [busy]]);
  });
});
