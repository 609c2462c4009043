import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { noLog, startApi } from '../../../../test/harness.ts';
import { newVisitor } from '../../../../test/visitor.ts';
import { systemCtx } from '../../../platform/ctx.ts';
import { newId } from '../../../platform/ids.ts';
import { keepRefusals } from './mail-refusal.service.ts';
import { readToken, unsubscribeUrl } from './unsubscribe-link.ts';

const api = await startApi();
const other = await api.givenOrg('other');
const urlOf = unsubscribeUrl('', api.parts.secretBox);

const HOSTILE = '<script>alert(1)</script>"\'\u202e';

interface Given {
  readonly target: string;
  readonly path: string;
}

let number = 0;
let given: Given;

async function givenTarget(org = api.org.id, name = 'production alerts'): Promise<Given> {
  const notification = newId();
  const at = api.clock.now;
  await api.db
    .insertInto('notification')
    .values({
      org_id: org,
      id: notification,
      number: ++number,
      kind: 'env',
      name: `${name} ${number}`,
      triggers: ['ON_NON_COMPLIANT_ENV'],
      created_at: at,
      created_by: 'tests',
      last_modified_at: at,
    })
    .execute();
  const target = await givenEmailTarget(org, notification, ['ada@example.test', 'bob@example.test']);
  return { target, path: urlOf(org, target, 'ada@example.test') ?? '' };
}

async function givenEmailTarget(org: string, source: string, emails: string[]): Promise<string> {
  const id = newId();
  await api.db
    .insertInto('notification_target')
    .values({
      org_id: org,
      id,
      source_id: source,
      config_type: null,
      kind: 'EMAIL',
      position: 0,
      url_sealed: null,
      url_sha256: null,
      url_host: null,
      payload_version: null,
      context: null,
      emails,
      secret_sealed: null,
      created_at: api.clock.now,
    })
    .execute();
  return id;
}

async function givenDelivery(address: string, state: 'waiting' | 'delivered' = 'waiting'): Promise<string> {
  const [message, id] = [newId(), newId()];
  const at = api.clock.now;
  const org = api.org.id;
  await api.db
    .insertInto('message')
    .values({
      org_id: org,
      id: message,
      source_id: newId(),
      config_type: null,
      scope_id: org,
      trigger: 'ON_NON_COMPLIANT_ENV',
      sequence: 1,
      count: 1,
      content: '{}',
      created_at: at,
      open_until: null,
    })
    .execute();
  const delivery = { org_id: org, id, target_id: given.target, message_id: message, address, state } as const;
  await api.db
    .insertInto('delivery')
    .values({ ...delivery, due_at: at, created_at: at })
    .execute();
  return id;
}

async function stateOf(id: string): Promise<string> {
  const query = api.db.selectFrom('delivery').select('state').where('org_id', '=', api.org.id).where('id', '=', id);
  return (await query.executeTakeFirstOrThrow()).state;
}

function refusals() {
  return api.db
    .selectFrom('mail_refusal')
    .select(['org_id', 'target_id', 'address', 'refused_at'])
    .where('org_id', 'in', [api.org.id, other.id])
    .where('target_id', '=', given.target)
    .execute();
}

/** Sent the way a mail program does: no cookie, and without opening a page first. */
function oneClick(path = given.path, headers: Record<string, string> = {}, payload = 'List-Unsubscribe=One-Click') {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return api.inject({ method: 'POST', url: path, headers: { ...type, ...headers }, payload });
}

const entries = async (org = api.org) =>
  (await api.journal(org)).filter(({ type }) => type === 'mail_refusal.recorded');

beforeEach(async () => {
  given = await givenTarget();
});

describe('opening the link', () => {
  it('asks, and refuses nothing yet', async () => {
    const visitor = newVisitor(api);
    const seen = await visitor.get(given.path);
    expect(seen.status).toBe(200);
    expect(seen.html).toContain('Unsubscribe from these emails');
    expect(seen.html).toContain('ada@example.test');
    expect(seen.html).toContain('production alerts');
    expect(await refusals()).toEqual([]);
  });

  it('shows names as text', async () => {
    const sly = await givenTarget(api.org.id, HOSTILE);
    for (const seen of [await newVisitor(api).get(sly.path), await newVisitor(api).post(sly.path)]) {
      expect(seen.status).toBe(200);
      expect(seen.html).toContain('&lt;script&gt;');
      expect(seen.html).not.toContain('<script');
    }
  });
});

describe('refusing', () => {
  it('takes one request of a mail program, without a cookie', async () => {
    const [mine, done, others] = [
      await givenDelivery('ada@example.test'),
      await givenDelivery('ada@example.test', 'delivered'),
      await givenDelivery('bob@example.test'),
    ];
    const before = await entries();
    const answer = await oneClick();
    expect(answer.status).toBe(200);
    expect(answer.body).toContain('You are unsubscribed from these emails');
    expect(answer.body).toContain('if your address is added to this notification again');
    expect(await refusals()).toEqual([
      { org_id: api.org.id, target_id: given.target, address: 'ada@example.test', refused_at: api.clock.now },
    ]);
    expect([await stateOf(mine), await stateOf(done), await stateOf(others)]).toEqual([
      'dropped',
      'delivered',
      'waiting',
    ]);
    expect((await entries()).slice(before.length)).toEqual([
      {
        type: 'mail_refusal.recorded',
        subject_seq: 2,
        payload: { notification: `production alerts ${number}`, address: 'ada@example.test' },
        actor: 'unsubscribe link',
      },
    ]);
  });

  it('works from the page, too, which confirms it afterwards', async () => {
    const visitor = newVisitor(api);
    await visitor.get(given.path);
    expect((await visitor.post(given.path)).html).toContain('You are unsubscribed from these emails');
    expect((await visitor.get(given.path)).html).toContain('You are unsubscribed from these emails');
  });

  it.each([
    [
      'as a form in parts',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    ],
    ['with nothing in it', 'application/x-www-form-urlencoded', ''],
  ])('may be sent %s', async (_, type, payload) => {
    expect((await oneClick(given.path, { 'content-type': type, origin: 'https://mail.example' }, payload)).status).toBe(
      200,
    );
    expect(await refusals()).toHaveLength(1);
  });

  it('again changes nothing, and neither do many at once', async () => {
    const before = await entries();
    const answers = await Promise.all(Array.from({ length: 8 }, () => oneClick()));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    api.clock.now = new Date(api.clock.now.getTime() + 60_000);
    expect((await oneClick()).status).toBe(200);
    expect(await refusals()).toHaveLength(1);
    expect((await entries()).length - before.length).toBe(1);
  });

  it('counts for two addresses at once', async () => {
    const path = urlOf(api.org.id, given.target, 'bob@example.test');
    await Promise.all([oneClick(), oneClick(path)]);
    expect((await refusals()).map(({ address }) => address).sort()).toEqual(['ada@example.test', 'bob@example.test']);
  });

  it('acts as nobody, whoever is signed in, and only in the org of the link', async () => {
    const theirs = await givenTarget(other.id);
    const before = [(await entries()).length, (await entries(other)).length];
    expect((await oneClick(theirs.path)).status).toBe(200);
    expect([(await entries()).length, (await entries(other)).length]).toEqual([before[0], (before[1] ?? 0) + 1]);
  });

  it('waits for the holder of the target before it changes waiting deliveries', async () => {
    const waiting = await givenDelivery('ada@example.test');
    await api.db.insertInto('target_state').values({ org_id: api.org.id, target_id: given.target }).execute();
    let refusing: ReturnType<typeof oneClick> | undefined;
    await api.db.transaction().execute(async (worker) => {
      await sql`select from target_state where org_id = ${api.org.id} and target_id = ${given.target} for update`.execute(
        worker,
      );
      refusing = oneClick();
      await expect.poll(refusals).toHaveLength(1);
      await sleep(100);
      expect(await stateOf(waiting)).toBe('waiting');
    });
    expect((await refusing)?.status).toBe(200);
    expect(await stateOf(waiting)).toBe('dropped');
  });
});

it('applies to later targets of the notification, in any spelling of the address', async () => {
  expect((await oneClick()).status).toBe(200);
  const { source_id } = await api.db
    .selectFrom('notification_target')
    .select('source_id')
    .where('org_id', '=', api.org.id)
    .where('id', '=', given.target)
    .executeTakeFirstOrThrow();
  const later = await givenEmailTarget(api.org.id, source_id, ['Ada@example.test', 'eve@example.test']);
  const elsewhere = await givenTarget();
  const ctx = systemCtx(api.db, api.org.id, 'tests', noLog);
  for (let round = 0; round < 2; round++) await keepRefusals(ctx, source_id);
  const carriedOver = await api.db
    .selectFrom('mail_refusal')
    .select(['target_id', 'address'])
    .where('org_id', '=', api.org.id)
    .where('target_id', 'in', [later, elsewhere.target])
    .execute();
  expect(carriedOver).toEqual([{ target_id: later, address: 'Ada@example.test' }]);
});

describe('an invalid link', () => {
  it.each(['x', 'AAAA', '%00', '..%2f..', 'A'.repeat(2000), '%F0%9F%92%A5'])(
    '%j leads to a page that says so',
    async (token) => {
      for (const method of ['GET', 'POST'] as const) {
        const answer = await api.inject({ method, url: `/unsubscribe/${token}` });
        expect([400, 404]).toContain(answer.status);
      }
      expect(await refusals()).toEqual([]);
    },
  );

  it('shows 404 without a hint of the reason', async () => {
    const seen = await newVisitor(api).get('/unsubscribe/garbage');
    expect(seen.status).toBe(404);
    expect(seen.html).toContain('This link is not valid');
    expect(seen.headers['content-type']).toContain('text/html');
  });

  it('fails with any bit changed, and with the target of another org', async () => {
    const token = given.path.slice('/unsubscribe/'.length);
    for (const at of [0, 3, 20, 40, token.length - 3]) {
      const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
      expect((await oneClick(`/unsubscribe/${changed}`)).status).toBe(404);
    }
    expect((await oneClick(urlOf(other.id, given.target, 'ada@example.test'))).status).toBe(404);
    expect(await refusals()).toEqual([]);
  });

  it('cannot be made from something sealed for another purpose, nor without a key', () => {
    const sealed = api.parts.secretBox?.seal(JSON.stringify([newId(), newId(), 'a@b.c']), 'target-url:x') ?? '';
    expect(readToken(api.parts.secretBox, sealed)).toBeUndefined();
    expect(unsubscribeUrl('https://waymark.test', undefined)(newId(), newId(), 'a@b.c')).toBeUndefined();
    expect(readToken(undefined, 'x')).toBeUndefined();
  });
});
