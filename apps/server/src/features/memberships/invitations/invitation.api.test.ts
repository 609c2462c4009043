import {
  acceptInvitation,
  changeMember,
  createInvitation,
  INVITATIONS_MAX,
  listInvitations,
  listMembers,
  listUserInvitations,
  type Role,
  removeMember,
  revokeInvitation,
  roles,
  turnOnScim,
} from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { givenInvitations } from '../../../../test/given/invitations.ts';
import { callSigned, givenPerson, givenSession, type Person } from '../../../../test/given/people.ts';
import { noLog, startApi, type TestOrg } from '../../../../test/harness.ts';
import { systemCtx } from '../../../platform/ctx.ts';
import { createKey } from '../../api-keys/api-key.service.ts';
import { ensureServiceAccount } from '../../service-accounts/service-account.service.ts';

const api = await startApi();
const { mails, deliver, invited } = await givenInvitations(api);
const strangers = await api.givenOrg('strangers');
const FOREIGN = { status: 403, body: { message: 'There is no such org, or you are not a member of it' } };
const DAY_MS = 24 * 3_600_000;

let org: TestOrg;
let email = '';
let count = 0;
beforeEach(async () => {
  org = await api.givenOrg(`inviting-${++count}`);
  email = `guest-${count}@example.test`;
});

const invite = (
  body: unknown = { email, role: 'member' },
  key = org.keys.admin,
  headers: Record<string, string> = {},
) =>
  api.call(createInvitation, { params: { org: org.name }, key, body: body as { email: string; role: Role }, headers });
const open = async () => (await api.call(listInvitations, { params: { org: org.name }, key: org.keys.admin })).body;
const revoke = (id: string, key = org.keys.admin) =>
  api.call(revokeInvitation, { params: { org: org.name, invitation_id: id }, key });
const accept = (id: string, { key }: Person, code?: string | null, headers: Record<string, string> = {}) =>
  api.call(acceptInvitation, {
    params: { invitation_id: id },
    key,
    headers,
    ...(code !== undefined && { body: { code } }),
  });
const own = async (person: Person) => (await api.call(listUserInvitations, { key: person.key })).body;
const roleOf = async ({ login }: Person) => {
  const { body } = await api.call(listMembers, { params: { org: org.name }, key: org.keys.admin });
  return body.members.find((member) => member.login === login)?.role;
};
const entries = async () => (await api.journal(org)).filter(({ type }) => type.startsWith('invitation.'));
const types = async () => (await entries()).map(({ type }) => type);
const guest = () => givenPerson(api, { email });
const closed = (id: string) => ({
  status: 404,
  body: { message: `Invitation '${id}' is not open: it was accepted or withdrawn, or has expired` },
});
const later = (ms: number) => {
  api.clock.now = new Date(api.clock.now.getTime() + ms);
};

describe('inviting', () => {
  it('sends one mail with a code that is stored nowhere, and lists what is open', async () => {
    const answer = await invite({ email: `Guest-${count}@Example.test`, role: 'member' });
    const now = api.clock.now.getTime() / 1000;
    const { id } = answer.body;
    const admin = `${org.name}-admin`;
    const invitation = { id, email, role: 'member', invited_by: admin, created_at: now, expires_at: now + 7 * 86_400 };
    expect(answer).toMatchObject({ status: 201, body: invitation });
    expect(await open()).toEqual([invitation]);
    await deliver();
    const mail = await mails.mailTo(email);
    expect(mail.subject).toBe(`You are invited to ${org.name} on Waymark`);
    expect(mail.text).toContain(`${admin} invites you to join the org ${org.name} at waymark.test as a member.`);
    const code = /code=([\w-]{43})/.exec(mail.text ?? '')?.[1] ?? '';
    expect(mail.html).toContain(`http://waymark.test/invitations/${id}?code=${code}`);
    const row = await api.db.selectFrom('invitation').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain(code);
    expect(row.code_hashes).toHaveLength(1);
    expect(await entries()).toEqual([
      {
        type: 'invitation.created',
        subject_seq: 1,
        actor: admin,
        payload: { email, role: 'member', expires_at: now + 7 * 86_400 },
      },
    ]);
  });

  it('shows names in the mail as they are, and no markup of theirs', async () => {
    const admin = await givenPerson(api, { org, role: 'admin', displayName: '<img src=x onerror=alert(1)>\nTo: all' });
    await invite(undefined, admin.key);
    await deliver();
    const mail = await mails.mailTo(email);
    expect(mail.html).not.toContain('<img');
    expect(mail.html).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(mail.text).toContain('<img src=x onerror=alert(1)> To: all invites you');
    expect(mail.to).toMatchObject([{ address: email }]);
  });

  it('again replaces the open one, up to 5 times a day', async () => {
    const first = (await invite()).body.id;
    const second = await invite({ email: email.toUpperCase(), role: 'admin' });
    expect(await open()).toMatchObject([{ id: second.body.id, role: 'admin' }]);
    expect(await types()).toEqual(['invitation.created', 'invitation.revoked', 'invitation.created']);
    expect((await entries())[1]).toMatchObject({ subject_seq: 2, payload: { email, reason: 'replaced' } });
    expect(await accept(first, await guest())).toMatchObject(closed(first));
    for (let i = 0; i < 3; i++) expect((await invite()).status).toBe(201);
    expect(await invite()).toMatchObject({ status: 429, headers: { 'retry-after': '86400' } });
    later(DAY_MS + 1);
    expect((await invite()).status).toBe(201);
  });

  it('of one address at once leaves one open', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => invite()));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(201));
    expect(await open()).toHaveLength(1);
  });

  it('is answered as before when it is repeated with its key', async () => {
    const headers = { 'idempotency-key': 'again' };
    const first = await invite(undefined, undefined, headers);
    expect(await invite(undefined, undefined, headers)).toMatchObject({ status: 201, body: first.body });
    expect(await types()).toEqual(['invitation.created']);
  });

  it('is for admins of this org alone, by key and by session', async () => {
    for (const role of roles) {
      const caller = await givenPerson(api, { org, role });
      const session = await givenSession(api, caller);
      const { cookie } = session;
      const call = { params: { org: org.name }, body: { email, role: 'reader' as const } };
      const expected = role === 'admin' ? 201 : 403;
      expect((await invite(undefined, caller.key)).status).toBe(expected);
      expect((await callSigned(api, createInvitation, session, call)).status).toBe(expected);
      expect((await callSigned(api, createInvitation, { cookie }, call)).status).toBe(403);
      if (role !== 'admin') expect((await invite(undefined, org.keys[role])).status).toBe(403);
    }
    expect(await invite(undefined, strangers.keys.admin)).toMatchObject(FOREIGN);
  });

  it('takes one address and a role, and nothing else', async () => {
    const wrong = [
      '',
      'ada',
      'ada@',
      '@b.c',
      'a@b',
      'a@b.c, d@e.f',
      'a@b.c\r\nBcc: d@e.f',
      '<a@b.c>',
      'a b@c.d',
      1,
      null,
    ];
    for (const address of [...wrong, `${'x'.repeat(250)}@b.cd`, '\u212A@example.com']) {
      expect(await invite({ email: address, role: 'member' })).toMatchObject({
        status: 400,
        body: { errors: { email: expect.any(String) } },
      });
    }
    expect((await invite({ email, role: 'owner' })).status).toBe(400);
    expect((await invite({ email })).status).toBe(400);
    expect(await invite({ email, role: 'member', expires_at: 0, inviter_id: 'x', code: 'y' })).toMatchObject({
      status: 400,
      body: { errors: { expires_at: 'is unknown', inviter_id: 'is unknown', code: 'is unknown' } },
    });
    expect(await open()).toEqual([]);
  });

  it('is refused for members, unless it is for a higher role', async () => {
    const member = await givenPerson(api, { org, role: 'member', email });
    expect(await invite()).toMatchObject({
      status: 400,
      body: { errors: { email: `is the address of '${member.login}', who is already member` } },
    });
    expect((await invite({ email, role: 'admin' })).status).toBe(201);
  });

  it('is not for a job of a CI system, whose credential lives for minutes', async () => {
    const ctx = systemCtx(api.db, org.id, 'tests', noLog);
    const { id } = await ensureServiceAccount(ctx, { name: 'deployer', privilege: 'admin' });
    const owner = { kind: 'service_account', id, name: 'deployer' } as const;
    const key = { owner, description: 'job', expiresAt: null, regionLetter: 'e' };
    const ofJob = await createKey(ctx, { ...key, workload: '{}' });
    expect(await invite(undefined, ofJob.text)).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('CI job') },
    });
    expect((await invite(undefined, (await createKey(ctx, key)).text)).status).toBe(201);
  });

  it('is not for personal orgs', async () => {
    const ada = await givenPerson(api);
    const call = { params: { org: ada.login }, key: ada.key, body: { email, role: 'reader' as const } };
    expect(await api.call(createInvitation, call)).toMatchObject({
      status: 400,
      body: { message: 'A personal org cannot have other members. Create a shared org' },
    });
  });

  it('ends at a number of open ones', async () => {
    const { id } = (await invite()).body;
    const row = await api.db.selectFrom('invitation').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const more = Array.from({ length: INVITATIONS_MAX - 1 }, (_, i) => ({
      ...row,
      id: crypto.randomUUID(),
      email: `${i}-${email}`,
    }));
    await api.db.insertInto('invitation').values(more).execute();
    expect(await invite({ email: `one-more-${email}`, role: 'member' })).toMatchObject({
      status: 400,
      body: {
        message: `This org already has ${INVITATIONS_MAX} open invitations, which is the maximum: withdraw one first`,
      },
    });
  });

  it('ends at a number a day, also when they are withdrawn', async () => {
    const { id } = (await invite()).body;
    const row = await api.db.selectFrom('invitation').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const more = Array.from({ length: INVITATIONS_MAX - 1 }, (_, i) => ({
      ...row,
      id: crypto.randomUUID(),
      email: `${i}-${email}`,
      revoked_at: row.created_at,
    }));
    await api.db.insertInto('invitation').values(more).execute();
    const again = () => invite({ email: `one-more-${email}`, role: 'member' });
    expect(await again()).toMatchObject({ status: 429, headers: { 'retry-after': String(DAY_MS / 1000) } });
    api.clock.now = new Date(api.clock.now.getTime() + DAY_MS);
    expect((await again()).status).toBe(201);
  });

  it('sends nothing for one that is not open any more', async () => {
    const { id } = (await invite()).body;
    await revoke(id);
    await deliver();
    expect(mails.received.filter(({ to }) => to.includes(email))).toEqual([]);
  });
});

describe('withdrawing', () => {
  it('shuts the invitation; the second time there is none', async () => {
    const { id, code } = await invited(org, email);
    expect(await revoke(id)).toMatchObject({ status: 200, body: `Invitation of '${email}' withdrawn` });
    expect(await revoke(id)).toMatchObject({ status: 404 });
    expect(await open()).toEqual([]);
    expect(await accept(id, await guest(), code)).toMatchObject(closed(id));
    expect(await types()).toEqual(['invitation.created', 'invitation.revoked']);
  });

  it('is for admins of this org, and of its own invitations', async () => {
    const { id } = (await invite()).body;
    for (const role of ['reader', 'snapshotter', 'member'] as const) {
      expect((await revoke(id, org.keys[role])).status).toBe(403);
    }
    expect(await revoke(id, strangers.keys.admin)).toMatchObject(FOREIGN);
    const params = { org: strangers.name, invitation_id: id };
    expect((await api.call(revokeInvitation, { params, key: strangers.keys.admin })).status).toBe(404);
    expect((await revoke('no-uuid')).status).toBe(400);
    expect(await open()).toHaveLength(1);
    const session = await givenSession(api, await givenPerson(api, { org, role: 'admin' }));
    const call = { params: { org: org.name, invitation_id: id } };
    expect((await callSigned(api, revokeInvitation, session, call)).status).toBe(200);
  });

  it('happens once in a race, also with who accepts', async () => {
    const { id } = (await invite()).body;
    const answers = await Promise.all(Array.from({ length: 6 }, () => revoke(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(404)]);
    const again = (await invite()).body.id;
    const [accepted, revoked] = await Promise.all([accept(again, await guest()), revoke(again)]);
    expect([accepted.status, revoked.status].sort()).toEqual([200, 404]);
    expect((await entries()).filter(({ subject_seq }) => subject_seq === 2)).toHaveLength(2);
  });
});

describe('accepting', () => {
  it('needs no code of who has the address: listed, accepted once, answered alike again', async () => {
    const { id } = (await invite({ email, role: 'snapshotter' })).body;
    const person = await givenPerson(api, { email: email.toUpperCase(), displayName: 'Guest' });
    const now = api.clock.now.getTime() / 1000;
    expect(await own(person)).toEqual([
      {
        id,
        org: org.name,
        role: 'snapshotter',
        invited_by: `${org.name}-admin`,
        created_at: now,
        expires_at: now + 7 * 86_400,
      },
    ]);
    const accepted = { status: 200, body: { org: org.name, role: 'snapshotter' } };
    expect(await accept(id, person)).toMatchObject(accepted);
    expect(await accept(id, person)).toMatchObject(accepted);
    expect(await accept(id, person, null)).toMatchObject(accepted);
    expect(await own(person)).toEqual([]);
    expect(await open()).toEqual([]);
    expect(await roleOf(person)).toBe('snapshotter');
    expect((await entries())[1]).toEqual({
      type: 'invitation.accepted',
      subject_seq: 2,
      actor: person.login,
      payload: { email, role: 'snapshotter', user_id: person.id, login: person.login, by: 'address' },
    });
    const added = (await api.journal(org)).filter(({ type }) => type === 'membership.added').at(-1);
    expect(added).toMatchObject({ actor: person.login, payload: { login: person.login, source: 'invitation' } });
  });

  it('works by session, with the token of the page alone', async () => {
    const { id } = (await invite()).body;
    const session = await givenSession(api, await guest());
    const call = { params: { invitation_id: id } };
    expect((await callSigned(api, acceptInvitation, { cookie: session.cookie }, call)).status).toBe(403);
    expect((await callSigned(api, acceptInvitation, session, call)).status).toBe(200);
  });

  it('needs the code of who has another address', async () => {
    const { id, code } = await invited(org, email);
    const other = await givenPerson(api);
    expect(await own(other)).toEqual([]);
    expect(await accept(id, other)).toMatchObject({
      status: 400,
      body: { errors: { code: 'is required: the invitation was sent to a different address than yours' } },
    });
    expect(await accept(id, other, `${code}x`)).toMatchObject({
      status: 400,
      body: { errors: { code: 'is not the code from the email' } },
    });
    expect((await accept(id, other, code)).status).toBe(200);
    expect(await roleOf(other)).toBe('member');
    expect((await entries())[1]).toMatchObject({ payload: { by: 'code', login: other.login } });
  });

  it('is void after 5 wrong codes, whatever comes with them', async () => {
    const { id, code } = await invited(org, email);
    const other = await givenPerson(api);
    for (let i = 0; i < 5; i++) {
      expect((await accept(id, other, 'wrong', { 'idempotency-key': `try-${i}` })).status).toBe(i < 4 ? 400 : 404);
    }
    expect(await accept(id, other, code)).toMatchObject(closed(id));
    expect(await accept(id, await guest())).toMatchObject(closed(id));
    expect(await open()).toEqual([]);
    expect((await invite()).status).toBe(201);
  });

  it('is not tried more often than that at once', async () => {
    const { id } = await invited(org, email);
    const other = await givenPerson(api);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => accept(id, other, `wrong-${i}`)));
    expect(answers.every(({ status }) => status === 400 || status === 404)).toBe(true);
    const { wrong_codes } = await api.db
      .selectFrom('invitation')
      .select('wrong_codes')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(wrong_codes).toBe(5);
  });

  it('takes the code of every mail that was tried to be sent', async () => {
    mails.refuseContent = { code: 451, text: 'later' };
    await invite();
    await deliver();
    mails.refuseContent = undefined;
    later(60_000);
    await deliver();
    const text = (await mails.mailTo(email)).text ?? '';
    const [, id = '', code = ''] = /invitations\/([\w-]+)\?code=([\w-]+)/.exec(text) ?? [];
    expect((await accept(id, await givenPerson(api), code)).status).toBe(200);
  });

  it('is too late after 7 days', async () => {
    const { id, code } = await invited(org, email);
    const person = await guest();
    later(7 * DAY_MS);
    expect(await accept(id, person)).toMatchObject(closed(id));
    expect(await accept(id, person, code)).toMatchObject(closed(id));
    expect(await own(person)).toEqual([]);
    expect(await open()).toEqual([]);
    expect((await invite()).status).toBe(201);
  });

  it('is answered alike for one that never was', async () => {
    const [id, person] = [crypto.randomUUID(), await guest()];
    expect(await accept(id, person)).toMatchObject(closed(id));
    expect((await accept('no-uuid', person)).status).toBe(400);
  });

  it('takes no role away, and gives none beyond the invitation', async () => {
    const person = await guest();
    const { id } = (await invite({ email, role: 'reader' })).body;
    const other = await invited(org, `x-${email}`, 'admin');
    expect((await accept(other.id, person)).status).toBe(400);
    const body = { role: 'admin' } as { code?: string };
    const sent = await api.call(acceptInvitation, { params: { invitation_id: id }, key: person.key, body });
    expect(sent).toMatchObject({ status: 400, body: { errors: { role: 'is unknown' } } });
    expect((await accept(id, person)).body).toEqual({ org: org.name, role: 'reader' });
    const second = (await invite({ email, role: 'snapshotter' })).body.id;
    await accept(other.id, person, other.code);
    expect((await accept(second, person)).body).toEqual({ org: org.name, role: 'admin' });
    expect(await roleOf(person)).toBe('admin');
  });

  it('is refused by code to a member who gains nothing, and stays open for whom it was sent to', async () => {
    const { id, code } = await invited(org, email, 'member');
    for (const role of ['member', 'admin'] as const) {
      const other = await givenPerson(api, { org, role });
      const refused = {
        status: 409,
        body: {
          message: `You are already a member of this org, with the role ${role}: the invitation is for another person`,
        },
      };
      expect(await accept(id, other, code)).toMatchObject(refused);
      const raced = await Promise.all([accept(id, other, code), accept(id, other, code)]);
      expect(raced).toMatchObject([refused, refused]);
      expect(await roleOf(other)).toBe(role);
    }
    expect(await open()).toMatchObject([{ id }]);
    expect(await types()).toEqual(['invitation.created']);
    const person = await guest();
    expect((await accept(id, person, code)).status).toBe(200);
    expect(await roleOf(person)).toBe('member');
  });

  it('by code gives a member a higher role, and whom it was sent to keeps a higher one', async () => {
    const first = await invited(org, email, 'member');
    const reader = await givenPerson(api, { org, role: 'reader' });
    expect((await accept(first.id, reader, first.code)).body).toEqual({ org: org.name, role: 'member' });
    const second = await invited(org, email, 'reader');
    const addressee = await givenPerson(api, { org, role: 'admin', email });
    expect((await accept(second.id, addressee, second.code)).body).toEqual({ org: org.name, role: 'admin' });
    expect(await open()).toEqual([]);
  });

  it('is over once who invited may invite no more', async () => {
    const admin = await givenPerson(api, { org, role: 'admin' });
    const { id } = (await invite(undefined, admin.key)).body;
    const params = { org: org.name, login: admin.login };
    await api.call(changeMember, { params, key: org.keys.admin, body: { role: 'member' } });
    expect(await accept(id, await guest())).toMatchObject(closed(id));
    expect(await open()).toEqual([]);
  });

  it('is refused, like inviting, while the identity provider manages the members', async () => {
    const { id, code } = await invited(org, email);
    const managed = {
      status: 409,
      body: { message: 'The identity provider of this org manages its members by SCIM. Change them there' },
    };
    await api.call(turnOnScim, { params: { org: org.name }, key: org.keys.admin });
    expect(await invite({ email: `second-${email}`, role: 'reader' })).toMatchObject(managed);
    expect(await accept(id, await guest())).toMatchObject(managed);
    expect(await accept(id, await givenPerson(api), code)).toMatchObject(managed);
    expect(await types()).toEqual(['invitation.created']);
  });

  it('does not bring back who accepted before and was removed', async () => {
    const person = await guest();
    const { id } = (await invite()).body;
    await accept(id, person);
    const params = { org: org.name, login: person.login };
    await api.call(removeMember, { params, key: org.keys.admin });
    expect(await accept(id, person)).toMatchObject(closed(id));
  });

  it('is over once an admin has removed the invited member or given them another role', async () => {
    const person = await givenPerson(api, { org, role: 'reader', email });
    const [params, key] = [{ org: org.name, login: person.login }, org.keys.admin];
    const changes = [
      () => api.call(changeMember, { params, key, body: { role: 'snapshotter' } }),
      () => api.call(removeMember, { params, key }),
    ];
    for (const change of changes) {
      const { id, code } = await invited(org, email, 'admin');
      expect((await change()).status).toBe(200);
      expect([await open(), await own(person)]).toEqual([[], []]);
      expect(await accept(id, person)).toMatchObject(closed(id));
      expect(await accept(id, await givenPerson(api), code)).toMatchObject(closed(id));
    }
    expect(await roleOf(person)).toBeUndefined();
    const revoked = { type: 'invitation.revoked', payload: { email, reason: 'withdrawn' } };
    expect((await entries()).filter(({ type }) => type === 'invitation.revoked')).toMatchObject([revoked, revoked]);
  });

  it('stays open when nothing changes for the invited member', async () => {
    const person = await givenPerson(api, { org, role: 'reader', email });
    const { id } = (await invite()).body;
    const params = { org: org.name, login: person.login };
    await api.call(changeMember, { params, key: org.keys.admin, body: { role: 'reader' } });
    expect((await accept(id, person)).status).toBe(200);
  });

  it('is for people, and not for credentials of another org', async () => {
    const { id, code } = await invited(org, email);
    const call = { params: { invitation_id: id } };
    expect(await api.call(acceptInvitation, { ...call, key: org.keys.member })).toMatchObject({
      status: 403,
      body: { message: 'Service accounts cannot do this. Sign in as a person' },
    });
    expect((await api.call(listUserInvitations, { key: org.keys.member })).body).toEqual([]);
    const person = await givenPerson(api, { org: strangers, email });
    const limited = await givenSession(api, person, strangers.id);
    for (const body of [undefined, { code }]) {
      expect(await callSigned(api, acceptInvitation, limited, { ...call, ...(body && { body }) })).toMatchObject({
        status: 403,
        body: { message: expect.stringContaining('valid in only one org') },
      });
    }
    expect((await callSigned(api, listUserInvitations, limited)).body).toEqual([]);
    expect(await own(person)).toHaveLength(1);
    const there = await givenSession(api, person, org.id);
    expect((await callSigned(api, acceptInvitation, there, call)).status).toBe(200);
  });

  it('happens once in a race, of one person and of several', async () => {
    const person = await guest();
    const { id } = (await invite()).body;
    const answers = await Promise.all(Array.from({ length: 8 }, () => accept(id, person)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await types()).filter((type) => type === 'invitation.accepted')).toHaveLength(1);

    const second = await invited(org, `several-${email}`);
    const people = await Promise.all(Array.from({ length: 6 }, () => givenPerson(api)));
    const raced = await Promise.all(people.map((racer) => accept(second.id, racer, second.code)));
    expect(raced.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(404)]);
    const joined = await Promise.all(people.map(roleOf));
    expect(joined.filter((role) => role !== undefined)).toEqual(['member']);
  });
});
