import { getOwnSession, listFlows, listSessions, putFlow, revokeSession } from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { countHeldUp } from '../../../../test/given/held-up.ts';
import { callSigned, givenPerson, givenSession, type Person, type Signed } from '../../../../test/given/people.ts';
import { noLog, startApi } from '../../../../test/harness.ts';
import { newVisitor } from '../../../../test/visitor.ts';
import { systemCtx } from '../../../platform/ctx.ts';
import { csrfTokenOf, SESSION_COOKIE } from '../../../platform/http/session-cookie.ts';
import { setMembership } from '../../memberships/membership.service.ts';

const HOUR = 3_600_000;

const api = await startApi();
const other = await api.givenOrg('other');
let ada: Person;
let bob: Person;

beforeEach(async () => {
  ada = await givenPerson(api, { org: api.org, role: 'member', displayName: 'Ada Lovelace' });
  bob = await givenPerson(api, { org: api.org, role: 'admin' });
});

const later = (ms: number) => {
  api.clock.now = new Date(api.clock.now.getTime() + ms);
};
const list = (signed: Partial<Signed>) => callSigned(api, listSessions, signed);
const end = (signed: Partial<Signed>, id: string) =>
  callSigned(api, revokeSession, signed, { params: { session_id: id } });
const read = async (signed: Partial<Signed>) => (await callSigned(api, listFlows, signed)).status;

async function idOf(signed: Signed): Promise<string> {
  const { body } = await list(signed);
  return body.find(({ current }) => current)?.id ?? '';
}

function journalOf(person: Person) {
  return api.journal({ id: person.personalOrg, name: person.login, keys: api.org.keys });
}

describe('the list of sessions', () => {
  it('shows where one is signed in, the newest first, and which one this is', async () => {
    const first = await givenSession(api, ada);
    later(60_000);
    const second = await givenSession(api, ada);
    await givenSession(api, bob);
    const { status, body } = await list(first);
    const at = api.clock.now.getTime() / 1000;
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        id: await idOf(second),
        method: 'link',
        created_at: at,
        last_seen_at: at,
        expires_at: at + 12 * 3_600,
        address: '127.0.0.1',
        user_agent: 'tests',
        current: false,
      },
      expect.objectContaining({ id: await idOf(first), created_at: at - 60, current: true }),
    ]);
    expect(JSON.stringify(body)).not.toContain(first.cookie.split('=')[1]);
  });

  it('is the same by personal key, where none is this one', async () => {
    await givenSession(api, ada);
    const { body } = await api.call(listSessions, { key: ada.key });
    expect(body.map(({ current }) => current)).toEqual([false]);
  });

  it('is empty for a service account', async () => {
    expect((await api.call(listSessions, { key: api.org.keys.member })).body).toEqual([]);
  });

  it('shows to who came through an org’s identity provider what came the same way alone', async () => {
    await givenSession(api, ada);
    const limited = await givenSession(api, ada, api.org.id);
    await givenSession(api, ada, other.id);
    expect((await list(limited)).body.map(({ current }) => current)).toEqual([true]);
    expect((await api.call(listSessions, { key: ada.key })).body).toHaveLength(3);
  });
});

describe('ending a session', () => {
  it('is felt on the next request, is recorded once, and answers 404 the second time', async () => {
    const [current, ended] = [await givenSession(api, ada), await givenSession(api, ada)];
    const id = await idOf(ended);
    expect(await end(current, id)).toMatchObject({ status: 200, body: 'Session ended' });
    expect(await list(ended)).toMatchObject({
      status: 401,
      body: { message: 'The session is unknown or has ended. Sign in again' },
    });
    expect(await end(current, id)).toMatchObject({ status: 404, body: { message: `You have no session '${id}'` } });
    expect((await list(current)).body).toHaveLength(1);
    expect((await journalOf(ada)).filter(({ type }) => type === 'session.revoked')).toEqual([
      {
        type: 'session.revoked',
        subject_seq: 2,
        payload: { user_id: ada.id, method: 'link', only_org: null },
        actor: ada.login,
      },
    ]);
  });

  it('succeeds once in a race', async () => {
    const [current, ended] = [await givenSession(api, ada), await givenSession(api, ada)];
    const id = await idOf(ended);
    const answers = await Promise.all(Array.from({ length: 8 }, () => end(current, id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(404)]);
    expect((await journalOf(ada)).filter(({ type }) => type === 'session.revoked')).toHaveLength(1);
  });

  it('works for the own one, and by personal key', async () => {
    const signed = await givenSession(api, ada);
    expect((await end(signed, await idOf(signed))).status).toBe(200);
    expect((await list(signed)).status).toBe(401);
    const again = await givenSession(api, ada);
    const params = { session_id: await idOf(again) };
    expect((await api.call(revokeSession, { key: ada.key, params })).status).toBe(200);
    expect((await list(again)).status).toBe(401);
  });

  it('does not reach the sessions of others, nor those that came another way', async () => {
    const [theirs, own] = [await givenSession(api, bob), await givenSession(api, ada)];
    const limited = await givenSession(api, ada, api.org.id);
    expect((await end(own, await idOf(theirs))).status).toBe(404);
    expect((await end(limited, await idOf(own))).status).toBe(404);
    const params = { session_id: await idOf(own) };
    expect((await api.call(revokeSession, { key: api.org.keys.admin, params })).status).toBe(404);
    expect((await api.call(revokeSession, { key: api.org.keys.member, params })).status).toBe(404);
    expect([(await list(theirs)).status, (await list(own)).status]).toEqual([200, 200]);
  });

  it('names an id that cannot be one', async () => {
    expect(await end(await givenSession(api, ada), 'x')).toMatchObject({
      status: 400,
      body: { errors: { session_id: 'must be the id of a session' } },
    });
  });

  it('finds nothing to end in one that has run out', async () => {
    const old = await givenSession(api, ada);
    const id = await idOf(old);
    later(12 * HOUR);
    expect((await end(await givenSession(api, ada), id)).status).toBe(404);
  });
});

describe('a session', () => {
  it('ends when it is not seen for 12 hours', async () => {
    const signed = await givenSession(api, ada);
    later(12 * HOUR - 1);
    expect((await list(signed)).status).toBe(200);
    await api.app.credentialUse.flush();
    later(12 * HOUR - 1);
    expect((await list(signed)).status).toBe(200);
    await api.app.credentialUse.flush();
    later(12 * HOUR);
    expect((await list(signed)).status).toBe(401);
    expect((await newVisitorOf(signed).get('/account')).status).toBe(303);
  });

  it('is extended by visits to pages as well', async () => {
    const signed = await givenSession(api, ada);
    later(11 * HOUR);
    expect((await newVisitorOf(signed).get('/account')).status).toBe(200);
    await api.app.credentialUse.flush();
    later(11 * HOUR);
    expect((await list(signed)).status).toBe(200);
  });

  it('has its use recorded when a flush ends, also one that a timer began', async () => {
    const signed = await givenSession(api, ada);
    later(HOUR);
    await list(signed);
    await api.db.transaction().execute(async (trx) => {
      await trx.selectFrom('session').select('id').where('user_id', '=', ada.id).forUpdate().execute();
      void api.app.credentialUse.flush();
      const ended = api.app.credentialUse.flush().then(() => 'ended');
      const waits = expect.poll(() => countHeldUp(api.db)).toBeGreaterThan(0);
      expect(await Promise.race([ended, waits.then(() => 'waits')])).toBe('waits');
    });
    await api.app.credentialUse.flush();
    const { body } = await list(signed);
    expect(body[0]?.last_seen_at).toBe(api.clock.now.getTime() / 1000);
  });

  it('ends after 7 days, however busy it is', async () => {
    const signed = await givenSession(api, ada);
    for (let hours = 0; hours < 7 * 24 - 8; hours += 8) {
      later(8 * HOUR);
      expect((await list(signed)).status).toBe(200);
      await api.app.credentialUse.flush();
    }
    later(8 * HOUR - 1);
    const { body } = await list(signed);
    expect(body[0]?.expires_at).toBe((api.clock.now.getTime() + 1) / 1000);
    later(1);
    expect((await list(signed)).status).toBe(401);
  });

  it('has the role of its user at the time, and none after they were removed', async () => {
    const signed = await givenSession(api, ada);
    const ctx = systemCtx(api.db, api.org.id, 'tests', noLog);
    expect((await callSigned(api, putFlow, signed, { body: { name: 'by-session' } })).status).toBe(201);
    await setMembership(ctx, ada, 'reader', 'script');
    expect((await callSigned(api, putFlow, signed, { body: { name: 'by-session' } })).status).toBe(403);
    expect(await read(signed)).toBe(200);
    await setMembership(ctx, ada, null, 'script');
    expect(await read(signed)).toBe(403);
  });
});

function newVisitorOf({ cookie }: Pick<Signed, 'cookie'>) {
  const visitor = newVisitor(api);
  visitor.cookies.set(SESSION_COOKIE, cookie.slice(SESSION_COOKIE.length + 1));
  return visitor;
}

describe('what a session shows about itself', () => {
  it('is who one is, the orgs one is in, and the CSRF token', async () => {
    const signed = await givenSession(api, ada);
    expect(await callSigned(api, getOwnSession, { cookie: signed.cookie })).toMatchObject({
      status: 200,
      body: {
        kind: 'user',
        login: ada.login,
        display_name: 'Ada Lovelace',
        email: ada.email,
        csrf_token: signed['x-csrf-token'],
        only_org: null,
        scope: null,
        orgs: [
          { name: 'acme', kind: 'shared', role: 'member', sso_required: false, members_visible: false },
          { name: ada.login, kind: 'personal', role: 'admin', sso_required: false, members_visible: false },
        ],
      },
    });
  });

  it('has no CSRF token for a key, not even when a cookie comes along', async () => {
    const { cookie } = await givenSession(api, ada);
    const answer = await api.call(getOwnSession, { key: bob.key, headers: { cookie } });
    expect(answer.body).toMatchObject({ login: bob.login, csrf_token: null });
  });

  it('names the one org that a limited session is good for', async () => {
    const { body } = await callSigned(api, getOwnSession, await givenSession(api, ada, api.org.id));
    expect(body).toMatchObject({ only_org: 'acme', orgs: [{ name: 'acme', role: 'member' }] });
  });

  it('shows which orgs require another sign-in', async () => {
    const strict = await api.givenOrg(`strict-${ada.login}`);
    await setMembership(systemCtx(api.db, strict.id, 'tests', noLog), ada, 'reader', 'script');
    const enforced = { sso_enforced_at: api.clock.now };
    await api.db.updateTable('org').set(enforced).where('id', '=', strict.id).execute();
    const open = (await callSigned(api, getOwnSession, await givenSession(api, ada))).body;
    expect(open.orgs.find(({ name }) => name === strict.name)?.sso_required).toBe(true);
    const through = (await callSigned(api, getOwnSession, await givenSession(api, ada, strict.id))).body;
    expect(through.orgs).toEqual([
      { name: strict.name, kind: 'shared', role: 'reader', sso_required: false, members_visible: false },
    ]);
  });

  it('is the account and its org for a service account', async () => {
    expect((await api.call(getOwnSession, { key: api.org.keys.snapshotter })).body).toEqual({
      kind: 'service_account',
      login: 'snapshotter',
      display_name: null,
      email: null,
      csrf_token: null,
      only_org: null,
      scope: null,
      orgs: [{ name: 'acme', kind: 'shared', role: 'snapshotter', sso_required: false, members_visible: false }],
    });
  });
});

describe('what another site has a browser send', () => {
  const put = (headers: Record<string, string>) => api.call(putFlow, { key: '', headers, body: { name: 'forged' } });

  it('changes nothing by session', async () => {
    const signed = await givenSession(api, bob);
    const stranger = await givenSession(api, ada);
    const { cookie } = signed;
    const forged: Record<string, string>[] = [
      { cookie },
      { cookie, 'x-csrf-token': '' },
      { cookie, 'x-csrf-token': stranger['x-csrf-token'] },
      { ...signed, origin: 'https://evil.test' },
      { ...signed, origin: 'null' },
      { ...signed, origin: 'http://waymark.test.evil.test' },
      { ...signed, origin: 'http://waymark.test:8080' },
      { ...signed, 'sec-fetch-site': 'cross-site' },
      { ...signed, 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of forged) {
      expect(await put(headers), JSON.stringify(headers)).toMatchObject({
        status: 403,
        body: { message: expect.stringContaining('X-CSRF-Token') },
      });
    }
    expect((await put({ ...signed })).status).toBe(201);
    const own = { origin: 'http://waymark.test', 'sec-fetch-site': 'same-origin' };
    expect((await put({ ...signed, ...own })).status).toBe(200);
  });

  it('may be read by session, as no site can see the answer', async () => {
    const { cookie } = await givenSession(api, bob);
    expect(await read({ cookie })).toBe(200);
  });

  it('needs no token with a key', async () => {
    expect((await api.call(putFlow, { key: bob.key, body: { name: 'by-key' } })).status).toBe(201);
  });
});

describe('a cookie', () => {
  it('is never used beside an Authorization header, whatever the header is worth', async () => {
    const signed = await givenSession(api, bob);
    const tried = ['Bearer wrong', 'Bearer', 'Basic eDp5', 'Digest x', ''];
    for (const authorization of tried) {
      expect((await api.call(listFlows, { key: '', headers: { ...signed, authorization } })).status).toBe(401);
    }
    const asAda = await api.call(getOwnSession, { key: ada.key, headers: { ...signed } });
    expect(asAda.body.login).toBe(ada.login);
  });

  it('that comes twice counts for neither', async () => {
    const [own, planted] = [await givenSession(api, ada), await givenSession(api, bob)];
    for (const cookie of [`${own.cookie}; ${planted.cookie}`, `${planted.cookie}; ${own.cookie}`]) {
      expect(await read({ ...own, cookie })).toBe(401);
      expect((await newVisitorOf({ cookie }).get('/account')).status).toBe(303);
    }
  });

  it.each(['', 'x', 'A'.repeat(43), '%00', '"', 'a'.repeat(4_000)])('with %j is not known', async (value) => {
    expect(await read({ cookie: `${SESSION_COOKIE}=${value}` })).toBe(401);
  });

  it('of a browser that has not signed in is no session', async () => {
    const visitor = newVisitor(api);
    await visitor.get('/sign-in');
    const browser = visitor.cookies.get('__Host-waymark-browser') ?? '';
    expect(await read({ cookie: `${SESSION_COOKIE}=${browser}` })).toBe(401);
    const token = csrfTokenOf(browser);
    expect(await read({ cookie: `__Host-waymark-browser=${browser}`, 'x-csrf-token': token })).toBe(401);
  });
});
