import {
  changeMember,
  createInvitation,
  createServiceAccount,
  putFlow,
  type Role,
  streamEvents,
} from '@waymark/contract';
import { expect, it } from 'vitest';
import { givenStreams } from '../../../../test/given/event-streams.ts';
import { givenFeed } from '../../../../test/given/feed.ts';
import { givenPerson, givenSession } from '../../../../test/given/people.ts';
import { noLog, startApi } from '../../../../test/harness.ts';
import { inTransaction, systemCtx } from '../../../platform/ctx.ts';
import { emit } from '../../../platform/journal/journal.ts';
import { ssoEnforced } from '../../sso/sso.entries.ts';
import { endOrgSessions } from '../../users/sessions/org-session.service.ts';

const api = await startApi();
const open = await givenStreams(api.app);
const feed = givenFeed(api);

it('sends what happens, as it happens, numbered without gaps', async () => {
  await feed.untilDone();
  const { response, next } = await open({ org: api.org });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  await api.call(putFlow, { body: { name: 'live' } });
  await api.call(putFlow, { body: { name: 'live', description: 'changed' } });
  await feed.untilDone();
  const first = await next();
  const second = await next();
  expect(first).toMatchObject({ event: 'flow.created', data: { type: 'flow.created', actor: 'acme-admin' } });
  expect(second).toMatchObject({ event: 'flow.updated', data: { subject: first?.data.subject } });
  expect(indexOf(second?.id)).toBe(indexOf(first?.id) + 1);
});

it('goes on after the last event that was seen', async () => {
  const org = await api.givenOrg('resumed');
  for (const name of ['a', 'b', 'c'])
    await api.call(putFlow, { params: { org: 'resumed' }, key: org.keys.admin, body: { name } });
  await feed.untilDone();
  const { next } = await open({ org, key: org.keys.admin, after: '0' });
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.push((await next())?.id ?? '');
  expect(ids).toEqual(['0.0', '0.1', '0.2', '0.3', '0.4']);
  const later = await open({ org, key: org.keys.admin, after: '0.2' });
  expect((await later.next())?.id).toBe('0.3');
});

it.each(['0.999999', '1.0', '12', 'NaN', '0.1.2', '0.-2'])(
  'reports that the index %s never was, or is of another life of the database',
  async (after) => {
    await feed.untilDone();
    const { next } = await open({ org: api.org, after });
    expect((await next())?.event).toBe('reset');
  },
);

it('begins anew for those who were connected before the database was restored', async () => {
  const org = await api.givenOrg('restored');
  await api.call(putFlow, { params: { org: 'restored' }, key: org.keys.admin, body: { name: 'a' } });
  await feed.untilDone();
  const before = await open({ org, key: org.keys.admin, after: '0' });
  const { id } = (await before.next()) ?? {};
  expect(id).toBe('0.0');
  await api.db.updateTable('sequencer').set({ life: 1 }).execute();
  const { next } = await open({ org, key: org.keys.admin, after: id ?? '' });
  expect(await next()).toMatchObject({ event: 'reset', id: expect.stringMatching(/^1\.\d+$/) });
  // The stream of the life before sends what it has, and ends.
  let last: Awaited<ReturnType<typeof before.next>>;
  do last = await before.next();
  while (last);
  await api.db.updateTable('sequencer').set({ life: 0 }).execute();
});

it('ends a stream that is open when the database begins another life, and sends nothing more', async () => {
  const org = await api.givenOrg('moved');
  await feed.untilDone();
  const { next } = await open({ org });
  await api.db.updateTable('sequencer').set({ life: 1 }).execute();
  await api.call(putFlow, { params: { org: 'moved' }, key: org.keys.admin, body: { name: 'a' } });
  await feed.untilDone();
  expect(await next()).toBeUndefined();
  const again = await open({ org, after: '0', topics: 'flow' });
  expect(await again.next()).toMatchObject({ id: expect.stringMatching(/^1\./) });
  await api.db.updateTable('sequencer').set({ life: 0 }).execute();
});

it('sends only the topics asked for', async () => {
  const org = await api.givenOrg('topics');
  await api.call(putFlow, { params: { org: 'topics' }, key: org.keys.admin, body: { name: 'a' } });
  await feed.untilDone();
  const { next } = await open({ org, after: '0', topics: 'flow' });
  expect((await next())?.event).toBe('flow.created');
});

it('ends when the caller loses access, and sends nothing more', async () => {
  const org = await api.givenOrg('revoked');
  await feed.untilDone();
  const { next } = await open({ org });
  await api.db.updateTable('api_key').set({ revoked_at: new Date() }).where('org_id', '=', org.id).execute();
  api.clock.now = new Date(api.clock.now.getTime() + 26_000);
  await api.call(putFlow, { params: { org: 'revoked' }, key: org.keys.admin, body: { name: 'secret' } });
  await feed.untilDone();
  expect(await next()).toBeUndefined();
});

it('sends entries about members, invitations, accounts and keys to admins only', async () => {
  const org = await api.givenOrg('discreet');
  const [params, key] = [{ org: org.name }, org.keys.admin];
  await api.call(createInvitation, { params, key, body: { email: 'new@example.test', role: 'reader' } });
  await api.call(createServiceAccount, { params, key, body: { name: 'bot' } });
  await api.call(putFlow, { params, key, body: { name: 'a' } });
  await feed.untilDone();
  const seen = async (of: Role) => {
    const { next } = await open({ org, key: org.keys[of], after: '0' });
    const events = [];
    for (let last = ''; last !== 'flow.created'; events.push(last)) last = (await next())?.event ?? 'flow.created';
    return new Set(events);
  };
  for (const role of ['reader', 'snapshotter', 'member'] as const) {
    expect(await seen(role)).toEqual(new Set(['org.created', 'flow.created']));
  }
  expect(await seen('admin')).toEqual(
    new Set([
      'org.created',
      'membership.added',
      'service_account.created',
      'api_key.created',
      'invitation.created',
      'flow.created',
    ]),
  );
});

it('ends when the caller gets another role, which may see less', async () => {
  const org = await api.givenOrg('demoting');
  const { key, login } = await givenPerson(api, { org, role: 'admin' });
  await feed.untilDone();
  const { next } = await open({ org, key });
  await api.call(changeMember, { params: { org: org.name, login }, key: org.keys.admin, body: { role: 'reader' } });
  await feed.untilDone();
  expect(await next()).toBeUndefined();
});

it('ends at once when the session ends that the org’s identity provider opened', async () => {
  const org = await api.givenOrg('signed-out');
  const person = await givenPerson(api, { org, role: 'reader' });
  const { cookie } = await givenSession(api, person, org.id);
  await feed.untilDone();
  const { next } = await open({ org, cookie });
  await inTransaction(systemCtx(api.db, org.id, 'tests', noLog), (ctx) => endOrgSessions(ctx, [person.id]));
  await feed.untilDone();
  expect(await next()).toBeUndefined();
});

it('ends at once when the org requires another sign-in', async () => {
  const org = await api.givenOrg('enforcing');
  const { key } = await givenPerson(api, { org, role: 'reader' });
  await feed.untilDone();
  const { next } = await open({ org, key });
  await inTransaction(systemCtx(api.db, org.id, 'tests', noLog), async (ctx) => {
    await ctx.db.updateTable('org').set({ sso_enforced_at: ctx.now() }).where('id', '=', org.id).execute();
    await emit(ctx, ssoEnforced, { kind: 'sso', id: org.id, seq: 2 }, { issuer: 'https://id.example' });
  });
  await feed.untilDone();
  expect(await next()).toBeUndefined();
});

it('is refused with the usual bodies', async () => {
  const answer = await api.call(streamEvents, { query: { topics: 'Flow!' } });
  expect(answer).toMatchObject({ status: 400, body: { errors: { 'query.topics': expect.stringContaining('comma') } } });
});

function indexOf(id: string | undefined): number {
  return Number(id?.split('.')[1]);
}
