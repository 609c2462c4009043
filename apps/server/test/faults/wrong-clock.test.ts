import { setTimeout as sleep } from 'node:timers/promises';
import { listActivity } from '@waymark/contract';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { findFreePort } from '../../../../tools/services/port.ts';
import { isFull } from '../../../../tools/test-size.ts';
import { createOrg } from '../../src/features/orgs/org.service.ts';
import { newId } from '../../src/platform/ids.ts';
import { clockAhead, jump, jumpingClock } from '../given/clock-ahead.ts';
import { countEntries, findFaults, untilProcessed } from './evidence.ts';
import { givenInstallation, givenOrgs, type Installation, type Org, readiness } from './installation.ts';
import { putFlow, startLoad } from './load.ts';
import { startServer } from './processes.ts';

const HOUR = 3_600_000;
/** Ahead and back again. */
const JUMPS = isFull ? 20 : 2;
const BETWEEN_JUMPS_MS = isFull ? 3_000 : 1_500;

it('leaves to the worker that holds it a mail and a target, also on a machine whose clock is an hour ahead', async () => {
  const site = await givenInstallation();
  const org = await createOrg(site.ctx, { name: 'acme', kind: 'shared' });
  const another = newId();
  const heldTarget = await givenTarget(site, org, another);
  const dueTarget = await givenTarget(site, org, null);
  // Of an unknown kind, so that it can only be taken.
  const held = await givenMail(site, new Date(Date.now() + HOUR / 2));
  const due = await givenMail(site, new Date());

  await startServer(
    ['worker'],
    {
      ...site.env,
      WAYMARK_SMTP_URL: 'smtp://127.0.0.1:1',
      WAYMARK_MAIL_FROM: 'Waymark <mail@waymark.test>',
      ...clockAhead,
    },
    (worker) => worker.log().includes('worker runs'),
  );

  await expect.poll(() => attemptsOf(site, due), { timeout: 600_000 }).toBe(1);
  expect(await attemptsOf(site, held)).toBe(0);
  // Nothing is to be sent to it, so its lease ends after the check.
  await expect.poll(() => stateOf(site, dueTarget), { timeout: 600_000 }).toEqual({ due_at: null, held_by: null });
  expect(await stateOf(site, heldTarget)).toMatchObject({ held_by: another });
});

it(`keeps the order and loses nothing when the clock of one of two API servers jumps by 10 minutes, ${JUMPS} times`, async ({
  annotate,
}) => {
  const site = await givenInstallation();
  const orgs = await givenOrgs(site.ctx, 4);
  const [first] = orgs;
  if (!first) throw new Error('no org');
  const port = String(await findFreePort());
  const other = `http://127.0.0.1:${port}`;
  const env = { ...site.env, WAYMARK_PORT: port, WAYMARK_LOG_LEVEL: 'warn', ...jumpingClock };
  const [server, ...right] = await Promise.all([
    startServer(['api'], env, async () => (await readiness(other)) === '200'),
    site.startApi(),
    site.startWorker(),
  ]);
  const load = startLoad({ url: [site.url, other], orgs, callers: 4 });
  for (let jumps = 1; jumps <= JUMPS; jumps++) {
    await sleep(BETWEEN_JUMPS_MS);
    jump(server);
    if (jumps === 1) {
      expect((await putFlow(other, first, { name: 'turned', description: 'ahead of time' })).status).toBe(201);
      expect((await putFlow(site.url, first, { name: 'turned', description: 'in time' })).status).toBe(200);
    }
  }
  await sleep(BETWEEN_JUMPS_MS);
  await load.stop();
  await untilProcessed(site.db);

  const turned = { org_id: first.id, name: 'turned', revision: 2 };
  expect(await findFaults(site.db, [...load.flows, turned])).toEqual([]);
  expect(Object.keys(load.answers).sort()).toEqual(['200', '201']);
  for (const each of [server, ...right]) expect(each.log('error')).toEqual([]);
  const { found_late } = await site.db.selectFrom('sequencer').select('found_late').executeTakeFirstOrThrow();
  expect(found_late).toBe(0);
  const { ahead, backwards } = await countAhead(site);
  expect(ahead).toBeGreaterThan(0);
  expect(backwards).toBeGreaterThan(0);
  for (const org of orgs) {
    expect(await activityOf(site, org, '')).toEqual(await entriesOf(site, org, 0));
    // The time of an entry is that of its server.
    const from = Date.now() + HOUR / 12;
    const found = await activityOf(site, org, `&from=${Math.ceil(from / 1_000)}`);
    expect(found).toEqual(await entriesOf(site, org, Math.ceil(from / 1_000)));
  }
  await annotate(
    `${load.flows.length} flows, ${await countEntries(site.db)} entries, ${ahead} of them recorded ahead of time, ` +
      `${backwards} followed in their flow by one with an earlier time`,
  );
});

async function countAhead({ db }: Installation): Promise<{ ahead: number; backwards: number }> {
  const { rows } = await sql<{ ahead: number; backwards: number }>`
    select count(*) filter (where recorded_at > now() + interval '5 minutes') as ahead,
      count(*) filter (where recorded_at > following) as backwards
    from (
      select recorded_at, lead(recorded_at) over (partition by org_id, subject_id order by subject_seq) as following
      from journal where subject_kind = 'flow'
    ) as entry`.execute(db);
  return rows[0] ?? { ahead: 0, backwards: 0 };
}

/** Entries about flows, newest first. */
async function entriesOf({ db }: Installation, org: Org, from: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from journal
    where org_id = ${org.id} and subject_kind = 'flow' and recorded_at >= to_timestamp(${from}) order by seq desc`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

async function activityOf(site: Installation, org: Org, filter: string): Promise<string[]> {
  const path = listActivity.path.replace(':org', org.name);
  const first = `${site.url}/api/v2${path}?per_page=100&type=flow${filter}`;
  const ids: string[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const response = await fetch(`${first}${after && `&after=${encodeURIComponent(after)}`}`, {
      headers: { authorization: `Bearer ${org.key}` },
    });
    const page = listActivity.reply.parse(await response.json());
    ids.push(...page.data.map(({ id }) => id));
    after = page.pagination.next;
  }
  return ids;
}

async function givenTarget({ db }: Installation, org: string, heldBy: string | null): Promise<string> {
  const id = newId();
  const emails = ['ada@example.test'];
  const target = {
    org_id: org,
    id,
    source_id: org,
    config_type: 'api_key_expiry',
    kind: 'EMAIL',
    position: 0,
  } as const;
  const secrets = { url_sealed: null, url_sha256: null, url_host: null, secret_sealed: null };
  const rest = { payload_version: null, context: null, emails, created_at: new Date() };
  await db
    .insertInto('notification_target')
    .values({ ...target, ...secrets, ...rest })
    .execute();
  const held = heldBy && { held_by: heldBy, held_until: new Date(Date.now() + HOUR / 2) };
  await db
    .insertInto('target_state')
    .values({ org_id: org, target_id: id, due_at: new Date(), ...held })
    .execute();
  return id;
}

function stateOf({ db }: Installation, id: string) {
  const state = db.selectFrom('target_state').select(['due_at', 'held_by']);
  return state.where('target_id', '=', id).executeTakeFirst();
}

async function givenMail({ db }: Installation, dueAt: Date): Promise<string> {
  const id = newId();
  const mail = { id, kind: 'unknown', subject_id: newId(), org_id: null, due_at: dueAt, created_at: new Date() };
  await db.insertInto('mail').values(mail).execute();
  return id;
}

async function attemptsOf({ db }: Installation, id: string): Promise<number | undefined> {
  const mail = await db.selectFrom('mail').select('attempts').where('id', '=', id).executeTakeFirst();
  return mail?.attempts;
}
