import { deleteNotificationConfig, putNotificationConfig } from '@waymark/contract';
import { type SqlBool, sql } from 'kysely';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ExpiringKey, givenExpiringKey, keyMessages } from '../../../../test/given/expiring-keys.ts';
import { givenPerson } from '../../../../test/given/people.ts';
import { noLog, startApi, type TestOrg } from '../../../../test/harness.ts';
import { systemCtx } from '../../../platform/ctx.ts';
import { removeMember } from '../../memberships/member.service.ts';
import { setMembership } from '../../memberships/membership.service.ts';
import { ensureServiceAccount } from '../../service-accounts/service-account.service.ts';
import { insertNotices } from './key-expiry.store.ts';
import { keyExpirySearch, raiseKeyExpiries, runKeyExpiries } from './key-expiry.ts';

const api = await startApi();
const parts = { db: api.db, log: noLog, now: () => api.clock.now };
const DAY = 86_400_000;
const start = new Date('2026-06-01T00:00:00Z');
const day = (count: number) => new Date(start.getTime() + count * DAY);

let count = 0;
let org: TestOrg;

beforeEach(async () => {
  api.clock.now = start;
  // Otherwise keys of earlier tests would cause messages as well.
  await sql`update api_key set revoked_at = ${start} where expires_at is not null and revoked_at is null`.execute(
    api.db,
  );
  org = await api.givenOrg(`org-${++count}`);
});

const raiseAt = (at: Date) => {
  api.clock.now = at;
  return raiseKeyExpiries(parts);
};

async function messagesAbout(key: string) {
  return (await keyMessages(api.db)).filter((message) => message.key === key);
}

const stepsNotified = async (key: string) => (await messagesAbout(key)).map(({ step }) => step);

async function noticesOf(key: string) {
  return api.db
    .selectFrom('api_key_notice')
    .select(['step', (row) => row('message_id', 'is', null).as('is_skipped')])
    .where(sql<SqlBool>`org_id is not null`)
    .where('key_id', '=', key)
    .orderBy('step', 'desc')
    .execute();
}

async function givenAccount(creator?: { id: string; login: string }) {
  const ctx = { ...systemCtx(api.db, org.id, 'tests', noLog), now: () => api.clock.now };
  const actor = creator && ({ kind: 'user', id: creator.id, name: creator.login, role: 'admin' } as const);
  const name = `deployer-${++count}`;
  const { id } = await ensureServiceAccount({ ...ctx, ...(actor && { actor }) }, { name, privilege: 'member' });
  return { name, owner: { orgId: org.id, accountId: id } };
}

async function givenOwnKey(more: Partial<ExpiringKey> = {}) {
  const person = await givenPerson(api);
  const key = { owner: { userId: person.id }, createdAt: day(-10), expiresAt: day(60), ...more };
  return { person, id: await givenExpiringKey(api.db, key) };
}

describe('steps', () => {
  it('sends a message for each step when it has come, once', async () => {
    const { person, id } = await givenOwnKey({ description: 'laptop' });
    expect(await raiseAt(new Date(day(30).getTime() - 1))).toBe(0);
    for (const at of [30, 46, 53, 57, 59, 60]) {
      expect(await raiseAt(day(at))).toBe(1);
      expect(await raiseAt(day(at + 0.5))).toBe(0);
    }
    expect(await raiseAt(day(66))).toBe(0);
    const same = { org_id: person.personalOrg, key: id, owner: person.login, description: 'laptop' };
    const expires_at = day(60).getTime() / 1000;
    expect(await messagesAbout(id)).toEqual(
      [30, 14, 7, 3, 1, 0].map((step, i) => ({
        ...same,
        expires_at,
        sequence: i + 1,
        step,
        days_left: step,
        to: [person.email],
      })),
    );
  });

  it('sends only the latest of several steps that came while no scheduler ran', async () => {
    const { id } = await givenOwnKey();
    expect(await raiseAt(day(54))).toBe(1);
    expect(await messagesAbout(id)).toMatchObject([{ step: 7, days_left: 6 }]);
    expect(await noticesOf(id)).toEqual([
      { step: 30, is_skipped: true },
      { step: 14, is_skipped: true },
      { step: 7, is_skipped: false },
    ]);
    expect(await raiseAt(day(57))).toBe(1);
    expect(await stepsNotified(id)).toEqual([7, 3]);
  });

  it('reports an expiry up to a week late', async () => {
    const { id } = await givenOwnKey();
    const { id: forgotten } = await givenOwnKey({ expiresAt: day(55) });
    expect(await raiseAt(day(63))).toBe(1);
    expect(await messagesAbout(id)).toMatchObject([{ step: 0, days_left: 0 }]);
    expect(await messagesAbout(forgotten)).toEqual([]);
    expect(await noticesOf(forgotten)).toEqual([]);
  });

  it('skips a step that was over, or just came, when the key was created', async () => {
    const { id: exact } = await givenOwnKey({ createdAt: start, expiresAt: day(7) });
    const { id: longer } = await givenOwnKey({ createdAt: start, expiresAt: new Date(day(7).getTime() + 1000) });
    const { id: brief } = await givenOwnKey({ createdAt: start, expiresAt: day(0.5) });
    expect(await raiseAt(start)).toBe(0);
    expect(await raiseAt(day(0.1))).toBe(1);
    for (const at of [0.5, 4, 4.1, 6, 6.1, 7, 7.1]) await raiseAt(day(at));
    expect(await stepsNotified(exact)).toEqual([3, 1, 0]);
    expect(await stepsNotified(longer)).toEqual([7, 3, 1, 0]);
    expect(await stepsNotified(brief)).toEqual([0]);
  });

  it('repeats nothing when the clock is set back, and misses nothing when it catches up', async () => {
    const { id } = await givenOwnKey();
    for (const at of [30, 53, 31, 47, 10, 54, 57, 30, 58]) await raiseAt(day(at));
    expect(await stepsNotified(id)).toEqual([30, 7, 3]);
    const { id: later } = await givenOwnKey({ createdAt: day(10), expiresAt: day(41) });
    for (const at of [11, 27]) await raiseAt(day(at));
    expect(await stepsNotified(later)).toEqual([30, 14]);
  });

  it('sends nothing about keys that are no longer usable, belong to jobs, or never expire', async () => {
    const { id: revoked } = await givenOwnKey();
    const { id: rotated } = await givenOwnKey();
    const ids = [
      revoked,
      rotated,
      (await givenOwnKey({ isOfJob: true })).id,
      (await givenOwnKey({ expiresAt: null })).id,
    ];
    await api.db
      .updateTable('api_key')
      .set({ revoked_at: day(31) })
      .where('id', '=', revoked)
      .execute();
    await api.db.updateTable('api_key').set({ replaced_by: revoked }).where('id', '=', rotated).execute();
    for (const at of [32, 46, 60]) expect(await raiseAt(day(at))).toBe(0);
    for (const id of ids) expect(await noticesOf(id)).toEqual([]);
  });

  it('stops when a key is revoked between two steps', async () => {
    const { id } = await givenOwnKey();
    await raiseAt(day(30));
    await api.db
      .updateTable('api_key')
      .set({ revoked_at: day(40) })
      .where('id', '=', id)
      .execute();
    for (const at of [46, 60]) expect(await raiseAt(day(at))).toBe(0);
    expect(await stepsNotified(id)).toEqual([30]);
  });

  it('sends nothing about keys of a deleted service account', async () => {
    const { owner } = await givenAccount();
    const id = await givenExpiringKey(api.db, { owner, createdAt: day(-10), expiresAt: day(1) });
    await api.db
      .updateTable('service_account')
      .set({ archived_at: day(1) })
      .where('org_id', '=', org.id)
      .where('id', '=', owner.accountId)
      .execute();
    await raiseAt(day(2));
    expect(await noticesOf(id)).toEqual([]);
  });
});

describe('recipients', () => {
  it('are the creator of the service account and the admins of the org, each once', async () => {
    const creator = await givenPerson(api, { org, role: 'member' });
    const [ada, bob] = [await givenPerson(api, { org, role: 'admin' }), await givenPerson(api, { org, role: 'admin' })];
    await givenPerson(api, { org, role: 'member' });
    const byMember = await givenAccount(creator);
    const byAdmin = await givenAccount(ada);
    const ids = [];
    for (const { owner } of [byMember, byAdmin]) {
      ids.push(await givenExpiringKey(api.db, { owner, createdAt: day(-10), expiresAt: day(60) }));
    }
    expect(await raiseAt(day(30))).toBe(2);
    const admins = [ada.email, bob.email];
    expect(await messagesAbout(ids[0] ?? '')).toMatchObject([
      { org_id: org.id, owner: byMember.name, to: [creator.email, ...admins].sort() },
    ]);
    expect(await messagesAbout(ids[1] ?? '')).toMatchObject([{ owner: byAdmin.name, to: [...admins].sort() }]);
  });

  it('exclude people who have left the org', async () => {
    const [creator, former, ada] = [
      await givenPerson(api, { org, role: 'member' }),
      await givenPerson(api, { org, role: 'admin' }),
      await givenPerson(api, { org, role: 'admin' }),
    ];
    const { owner } = await givenAccount(creator);
    const ctx = { ...systemCtx(api.db, org.id, 'tests', noLog), now: () => api.clock.now };
    for (const { login } of [creator, former]) await removeMember(ctx, login);
    const id = await givenExpiringKey(api.db, { owner, createdAt: day(-10), expiresAt: day(60) });
    await raiseAt(day(30));
    expect(await messagesAbout(id)).toMatchObject([{ to: [ada.email] }]);
  });

  it('may be nobody: that is logged, and it is not tried again', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
    const { owner } = await givenAccount();
    const id = await givenExpiringKey(api.db, { owner, createdAt: day(-10), expiresAt: day(60) });
    const person = await givenPerson(api);
    await api.db.updateTable('user_account').set({ email: null }).where('id', '=', person.id).execute();
    const own = await givenExpiringKey(api.db, {
      owner: { userId: person.id },
      createdAt: day(-10),
      expiresAt: day(60),
    });
    api.clock.now = day(30);
    expect(await raiseKeyExpiries({ ...parts, log })).toBe(0);
    expect(await raiseKeyExpiries({ ...parts, log })).toBe(0);
    for (const key of [id, own]) {
      expect(await messagesAbout(key)).toEqual([]);
      expect(await noticesOf(key)).toEqual([{ step: 30, is_skipped: true }]);
      expect(lines.filter((line) => line.includes(key))).toHaveLength(1);
    }
    await givenPerson(api, { org, role: 'admin' });
    await raiseAt(day(46));
    expect(await stepsNotified(id)).toEqual([14]);
  });

  it('of a key for one org are its owner, with the message in that org', async () => {
    const person = await givenPerson(api, { org, role: 'member' });
    await givenPerson(api, { org, role: 'admin' });
    const id = await givenExpiringKey(api.db, {
      owner: { userId: person.id },
      createdAt: day(-10),
      expiresAt: day(60),
      onlyOrg: org.id,
    });
    await raiseAt(day(30));
    expect(await messagesAbout(id)).toMatchObject([{ org_id: org.id, owner: person.login, to: [person.email] }]);
  });

  it('are the configured targets, from when they are set until they are deleted', async () => {
    const ada = await givenPerson(api, { org, role: 'admin' });
    const { owner } = await givenAccount();
    const id = await givenExpiringKey(api.db, { owner, createdAt: day(-10), expiresAt: day(60) });
    const params = { org: org.name, notification_type: 'api_key_expiry' };
    const targets = [
      { type: 'WEBHOOK' as const, webhook: 'https://hooks.example.org/1' },
      { type: 'EMAIL' as const, emails: ['ops@example.org', 'security@example.org'] },
    ];
    await raiseAt(day(30));
    await api.call(putNotificationConfig, { params, key: org.keys.admin, body: { targets } });
    await raiseAt(day(46));
    await api.call(deleteNotificationConfig, { params, key: org.keys.admin });
    await raiseAt(day(53));
    await api.call(putNotificationConfig, { params, key: org.keys.admin, body: { targets: targets.slice(1) } });
    await raiseAt(day(57));
    const ops = ['ops@example.org', 'security@example.org'];
    expect(await messagesAbout(id)).toMatchObject([
      { sequence: 1, step: 30, to: [ada.email] },
      { sequence: 2, step: 14, to: ['hooks.example.org', ...ops] },
      { sequence: 3, step: 7, to: [ada.email] },
      { sequence: 4, step: 3, to: ops },
    ]);
  });

  it('are limited to a hundred admins, plus the creator in any case', async () => {
    const creator = await givenPerson(api, { org, role: 'member', login: `zoe-${++count}` });
    const ctx = { ...systemCtx(api.db, org.id, 'tests', noLog), now: () => api.clock.now };
    for (let i = 0; i < 103; i++) await setMembership(ctx, await givenPerson(api), 'admin', 'script');
    const { owner } = await givenAccount(creator);
    const id = await givenExpiringKey(api.db, { owner, createdAt: day(-10), expiresAt: day(60) });
    await raiseAt(day(30));
    const [message] = await messagesAbout(id);
    expect(message?.to).toHaveLength(101);
    expect(message?.to).toContain(creator.email);
  }, 600_000);
});

describe('the scheduler', () => {
  it('processes many in batches, and two at once send each message once', async () => {
    const { owner } = await givenAccount();
    await givenPerson(api, { org, role: 'admin' });
    await sql`
      insert into api_key (id, hash, org_id, service_account_id, description, created_at, expires_at)
      select gen_random_uuid(), sha256((${org.id} || i)::bytea), ${owner.orgId}, ${owner.accountId}, 'key ' || i,
        ${day(-10)}, ${day(60)} from generate_series(1, 250) as i`.execute(api.db);
    api.clock.now = day(30);
    const counts = await Promise.all([raiseKeyExpiries(parts), raiseKeyExpiries(parts), raiseKeyExpiries(parts)]);
    expect(counts.reduce((sum, one) => sum + one, 0)).toBe(250);
    const messages = (await keyMessages(api.db)).filter(({ org_id }) => org_id === org.id);
    expect(new Set(messages.map(({ key }) => key)).size).toBe(250);
    expect(messages.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 250 }, (_, i) => i + 1));
  });

  it('gives a step to one of several that take it, even without the lock', async () => {
    const { id } = await givenOwnKey();
    const taking = Array.from({ length: 5 }, (_, i) =>
      api.db.transaction().execute((db) =>
        insertNotices(
          db,
          org.id,
          [30, 14, 7].slice(i % 3).map((step) => ({ key_id: id, step })),
          day(53),
        ),
      ),
    );
    const taken = (await Promise.all(taking)).flat();
    expect(taken.map(({ step }) => step).sort((a, b) => b - a)).toEqual([30, 14, 7]);
  });

  it('does not delay the others when an org fails, and returns to that one', async () => {
    const [sound, broken] = [await givenOwnKey(), await givenOwnKey()];
    await sql`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`.execute(api.owner);
    await sql`
      create trigger refuse before insert on message for each row
      when (new.org_id = ${sql.lit(broken.person.personalOrg)}) execute function refuse()`.execute(api.owner);
    const search = keyExpirySearch(parts);
    api.clock.now = day(30);
    expect(await search()).toBe(1);
    expect(await noticesOf(broken.id)).toEqual([]);
    await sql`drop trigger refuse on message`.execute(api.owner);
    api.clock.now = day(31);
    expect(await search()).toBe(1);
    for (const { id } of [sound, broken]) expect(await stepsNotified(id)).toEqual([30]);
  });

  it('remembers its last search, but not when the clock was set back or much time has passed', async () => {
    const search = keyExpirySearch(parts);
    const minutes = (count: number) => new Date(day(30).getTime() + count * 60_000);
    api.clock.now = minutes(0);
    await search();
    // A key that the scheduler has missed for a long time, which nobody can create through the API.
    const { id } = await givenOwnKey({ expiresAt: minutes(30 * 24 * 60 - 20) });
    api.clock.now = minutes(1);
    expect(await search()).toBe(0);
    api.clock.now = minutes(-5);
    expect(await search()).toBe(1);
    const { id: late } = await givenOwnKey({ expiresAt: minutes(30 * 24 * 60 - 20) });
    const { id: fresh } = await givenOwnKey({ expiresAt: minutes(30 * 24 * 60 + 10) });
    api.clock.now = minutes(11);
    expect(await search()).toBe(1);
    expect(await stepsNotified(fresh)).toEqual([30]);
    api.clock.now = minutes(55);
    expect(await search()).toBe(1);
    for (const key of [id, late]) expect(await stepsNotified(key)).toEqual([30]);
  });

  it('searches regularly until it is stopped', async () => {
    const { id } = await givenOwnKey();
    const stopping = new AbortController();
    api.clock.now = day(29);
    const running = runKeyExpiries(parts, stopping.signal, 20);
    for (const [at, steps] of [
      [30, [30]],
      [46, [30, 14]],
    ] as const) {
      api.clock.now = day(at);
      await expect.poll(() => stepsNotified(id)).toEqual(steps);
    }
    stopping.abort();
    await running;
  }, 600_000);
});
