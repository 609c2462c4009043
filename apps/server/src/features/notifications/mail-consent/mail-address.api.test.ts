import { getEnvironmentNotification, listDeliveries, type TargetInput, testTarget } from '@waymark/contract';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { contentOf, givenConfirmed } from '../../../../test/given/deliveries.ts';
import { givenEnvironment } from '../../../../test/given/environments.ts';
import { email, givenNotification, webhook } from '../../../../test/given/notifications.ts';
import { noLog, startApi, type TestOrg } from '../../../../test/harness.ts';
import { linkIn, startMailServer } from '../../../../test/mail-server.ts';
import { newVisitor } from '../../../../test/visitor.ts';
import { newId } from '../../../platform/ids.ts';
import { openMailer } from '../../../platform/mail/mailer.ts';
import { sendDueMails } from '../../../platform/mail/outbox.ts';
import { deliverDue } from '../queue/deliver.ts';
import { enqueueMessages } from '../queue/message.service.ts';
import { confirmationMail } from './mail-address.mail.ts';

const smtp = await startMailServer();
const mailer = openMailer({ url: smtp.url, from: 'waymark@waymark.test' });
afterAll(() => mailer.close());
const api = await startApi({ mailer });
const HOUR_MS = 3_600_000;

let count = 0;
let org: TestOrg = api.org;
/** A new address for each test, as mails to one address are counted across all orgs. */
let stranger = '';

beforeEach(async () => {
  smtp.received.length = 0;
  api.clock.now = new Date(Math.ceil(api.clock.now.getTime() / (24 * HOUR_MS)) * 24 * HOUR_MS + HOUR_MS);
  org = await givenOrg();
  stranger = `eve-${count}@elsewhere.test`;
});

async function givenOrg(): Promise<TestOrg> {
  const made = await api.givenOrg(`addresses-${++count}`);
  await givenEnvironment(api, 'prod', 'server', {}, made);
  return made;
}

function later(hours: number): void {
  api.clock.now = new Date(api.clock.now.getTime() + hours * HOUR_MS);
}

const put = (name: string, targets: TargetInput[], of = org) => givenNotification(api, name, ['prod'], { targets }, of);

async function unconfirmedOf(number: number, of = org) {
  const { body } = await api.call(getEnvironmentNotification, {
    params: { org: of.name, number: String(number) },
    key: of.keys.admin,
  });
  return body.targets.flatMap((target) => (target.type === 'EMAIL' ? target.unconfirmed : []));
}

/** Sends the queued mails other than notifications, and returns whom they asked to confirm. */
async function asked(): Promise<string[]> {
  const before = smtp.received.length;
  const kinds = [confirmationMail('http://waymark.test')];
  while ((await sendDueMails({ db: api.db, mailer, kinds, log: noLog, now: () => api.clock.now })) > 0);
  return smtp.received.slice(before).flatMap(({ to }) => to);
}

async function linkTo(address: string): Promise<string> {
  return new URL(linkIn(await smtp.mailTo(address))).pathname;
}

async function confirm(address = stranger): Promise<void> {
  await asked();
  const path = await linkTo(address);
  expect((await newVisitor(api).post(path, { answer: 'confirmed' })).html).toContain('Address confirmed');
}

const sourcesOf = async (of = org) =>
  (await api.db.selectFrom('notification').select('id').where('org_id', '=', of.id).execute()).map(({ id }) => id);

/** Causes one event that triggers all notifications of the org. */
async function happens(of = org): Promise<void> {
  later(1);
  const scopeId = newId();
  const entryIds = [newId()];
  const messages = (await sourcesOf(of)).map((id) => ({
    source: { id, configType: null },
    scopeId,
    trigger: 'ON_NON_COMPLIANT_ENV' as const,
    content: contentOf(),
    count: 1,
    at: api.clock.now,
    entryIds,
    entriesKey: entryIds.join(' '),
    groups: false,
  }));
  await api.db.transaction().execute((db) => enqueueMessages(db, of.id, messages, api.clock.now));
}

const workerParts = (mailLimits?: { perOrg: number; perAddress: number }) => ({
  db: api.db,
  box: api.parts.secretBox,
  publicUrl: 'http://waymark.test',
  outbound: () => Promise.resolve(new Response(null, { status: 204 })),
  mailer,
  log: noLog,
  now: () => api.clock.now,
  ...(mailLimits && { mailLimits }),
});

/** Returns who received mail. */
async function delivered(mailLimits?: { perOrg: number; perAddress: number }): Promise<string[]> {
  const before = smtp.received.length;
  await deliverDue(workerParts(mailLimits));
  return smtp.received
    .slice(before)
    .flatMap(({ to }) => to)
    .sort();
}

async function reasons(of = org) {
  const { body } = await api.call(listDeliveries, { params: { org: of.name }, key: of.keys.admin });
  return body.map(({ state, dropped_because }) => [state, dropped_because]);
}

const entries = async (of = org) =>
  (await api.journal(of))
    .filter(({ type }) => type.startsWith('mail_address.'))
    .map(({ type, payload }) => [type, payload]);

describe('an address outside of the org', () => {
  it('gets nothing but a request to confirm, until its owner confirms', async () => {
    const { number, targets } = await put('call 0900 now', [email(stranger)]);
    expect(targets).toMatchObject([{ emails: [stranger], unconfirmed: [stranger] }]);
    await happens();
    expect(await delivered()).toEqual([]);
    expect(await reasons()).toEqual([['dropped', expect.stringContaining('is not confirmed')]]);
    expect(await asked()).toEqual([stranger]);
    const mail = await smtp.mailTo(stranger);
    expect(mail.subject).toBe(`Confirm this address for notifications from ${org.name}`);
    expect(`${mail.text}${mail.html}`).not.toContain('0900');

    const path = await linkTo(stranger);
    expect((await newVisitor(api).get(path)).html).toContain('Confirm email notifications');
    expect(await unconfirmedOf(number)).toEqual([stranger]);
    expect((await newVisitor(api).post(path, { answer: 'confirmed' })).html).toContain('Address confirmed');
    expect(await unconfirmedOf(number)).toEqual([]);
    await happens();
    expect(await delivered()).toEqual([stranger]);
    expect(await entries()).toEqual([['mail_address.confirmed', { address: stranger }]]);
  });

  it('is confirmed once, however often and by however many at once', async () => {
    await put('alerts', [email(stranger)]);
    await asked();
    const path = await linkTo(stranger);
    const pages = await Promise.all(
      Array.from({ length: 6 }, () => newVisitor(api).post(path, { answer: 'confirmed' })),
    );
    expect(pages.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(await entries()).toHaveLength(1);
  });

  it('is confirmed for one org only, in any spelling', async () => {
    const other = await givenOrg();
    await put('alerts', [email(stranger)]);
    await confirm();
    const { number } = await put('more alerts', [email(stranger.toUpperCase())]);
    expect(await unconfirmedOf(number)).toEqual([]);
    const theirs = await put('alerts', [email(stranger)], other);
    expect(await unconfirmedOf(theirs.number, other)).toEqual([stranger]);
    expect(await entries(other)).toEqual([]);
  });

  it('that declines gets nothing and is not asked again', async () => {
    const { number } = await put('alerts', [email(stranger)]);
    await asked();
    const path = await linkTo(stranger);
    expect((await newVisitor(api).post(path, { answer: 'declined' })).html).toContain('Notifications declined');
    later(48);
    await put('alerts', [email(stranger)]);
    await put('others', [email(stranger)]);
    expect(await asked()).toEqual([]);
    expect(await unconfirmedOf(number)).toEqual([stranger]);
    expect(await entries()).toEqual([['mail_address.declined', { address: stranger }]]);
  });

  it('is asked once a day by an org, and five times a day by all orgs together', async () => {
    for (const name of ['a', 'b', 'c']) await put(name, [email(stranger), webhook()]);
    await Promise.all(Array.from({ length: 4 }, () => put('a', [email(stranger)])));
    expect(await asked()).toEqual([stranger]);
    for (let orgs = 0; orgs < 6; orgs++) await put('alerts', [email(stranger)], await givenOrg());
    expect(await asked()).toEqual(Array(4).fill(stranger));
    later(25);
    await put('a', [email(stranger)]);
    expect(await asked()).toEqual([stranger]);
  });

  it('is asked only if the org has asked fewer than fifty that day', async () => {
    const addresses = Array.from({ length: 60 }, (_, i) => `person-${100 + i}@elsewhere.test`);
    const { number } = await put('alerts', [email(...addresses.slice(0, 40)), email(...addresses.slice(40))]);
    expect((await asked()).sort()).toEqual(addresses.slice(0, 50));
    expect(await unconfirmedOf(number)).toHaveLength(60);
    const other = await givenOrg();
    await put('alerts', [email('somebody@elsewhere.test')], other);
    expect(await asked()).toEqual(['somebody@elsewhere.test']);
  });

  it('gets no test either', async () => {
    const { targets } = await put('alerts', [email(stranger)]);
    const call = { params: { org: org.name, target_id: targets[0]?.id ?? '' }, key: org.keys.admin };
    expect(await api.call(testTarget, call)).toMatchObject({
      status: 400,
      body: {
        errors: { target_id: 'has no confirmed address: a confirmation email was sent to each of its addresses' },
      },
    });
    await confirm();
    expect(await api.call(testTarget, call)).toMatchObject({ status: 201, body: { delivered: true } });
  });
});

describe('an address of a member', () => {
  const address = () => `${org.name}-admin@example.org`;
  beforeEach(async () => {
    await sql`update user_account set email = ${address()} where login = ${`${org.name}-admin`}`.execute(api.db);
  });

  it('needs no confirmation', async () => {
    const { number } = await put('alerts', [email(address().toUpperCase())]);
    expect(await unconfirmedOf(number)).toEqual([]);
    expect(await asked()).toEqual([]);
    await happens();
    expect((await delivered()).map((to) => to.toLowerCase())).toEqual([address()]);
  });

  it('needs one when only the identity provider vouches for it, and in other orgs', async () => {
    const other = await givenOrg();
    const theirs = await put('alerts', [email(address())], other);
    expect(await unconfirmedOf(theirs.number, other)).toEqual([address()]);
    await sql`
      insert into sso_identity (org_id, id, issuer, subject, user_id, email, created_at)
      select ${org.id}, ${newId()}, 'https://idp.test', 's', id, email, ${api.clock.now} from user_account
      where login = ${`${org.name}-admin`}`.execute(api.db);
    const { number } = await put('alerts', [email(address())]);
    expect(await unconfirmedOf(number)).toEqual([address()]);
  });
});

describe('a confirmed address', () => {
  it('gets one mail for an event, however many notifications and workers send it', async () => {
    await givenConfirmed(api, [stranger], org);
    for (const name of ['a', 'b', 'c', 'd']) await put(name, [email(stranger)]);
    await happens();
    await Promise.all([deliverDue(workerParts()), deliverDue(workerParts())]);
    expect(smtp.received.map(({ to }) => to)).toEqual([[stranger]]);
    const repeated = ['dropped', 'Another notification of this org has already emailed this event to the address.'];
    expect((await reasons()).toSorted()).toEqual([['delivered', null], repeated, repeated, repeated]);
    await happens();
    expect(await delivered()).toEqual([stranger]);
  });

  it('gets it from another notification when the first one can no longer send it', async () => {
    await givenConfirmed(api, [stranger], org);
    await put('a', [email(stranger)]);
    await put('b', [email(stranger)]);
    await happens();
    smtp.refuse = { code: 450, text: 'later' };
    expect(await delivered()).toEqual([]);
    smtp.refuse = undefined;
    const dropped = await sql<{ target_id: string }>`
      update delivery set state = 'dropped' where org_id = ${org.id} and state = 'waiting' returning target_id`.execute(
      api.db,
    );
    expect(dropped.rows).toHaveLength(1);
    await sql`
      update delivery set state = 'waiting', due_at = ${api.clock.now}, ended_at = null, dropped_because = null
      where org_id = ${org.id} and dropped_because = 'duplicate'`.execute(api.db);
    await sql`update target_state set due_at = ${api.clock.now} where org_id = ${org.id}`.execute(api.db);
    expect(await delivered()).toEqual([stranger]);
  });

  it('gets a limited number of mails a day, as does the org as a whole, while others go on', async () => {
    const other = await givenOrg();
    const limits = { perOrg: 5, perAddress: 2 };
    const all = [stranger, 'b@elsewhere.test', 'c@elsewhere.test'];
    for (const one of [org, other]) await givenConfirmed(api, all, one);
    await put('alerts', [email(...all)]);
    await put('alerts', [email(stranger)], other);
    await happens();
    expect(await delivered(limits)).toHaveLength(3);
    await happens();
    expect(await delivered(limits)).toHaveLength(2);
    const full = ['dropped', expect.stringMatching(/^The org has sent .* the daily maximum/)];
    expect((await reasons()).filter(([state]) => state === 'dropped')).toEqual([full]);
    await happens();
    expect(await delivered(limits)).toEqual([]);
    expect((await reasons()).filter(([, because]) => because?.startsWith('The address has received'))).toHaveLength(2);
    await happens(other);
    expect(await delivered(limits)).toEqual([stranger]);
    later(24);
    await happens();
    expect(await delivered(limits)).toHaveLength(3);
  });
});

describe('an invalid link', () => {
  it.each(['x', '%00', 'A'.repeat(500), '..%2f..'])('%j leads to a page that says so', async (token) => {
    const url = `/confirm-address/${token}`;
    expect([400, 404]).toContain((await newVisitor(api).get(url)).status);
    expect([400, 404]).toContain((await newVisitor(api).post(url, { answer: 'confirmed' })).status);
  });

  it('records nothing without an answer', async () => {
    await put('alerts', [email(stranger)]);
    await asked();
    expect((await newVisitor(api).post(await linkTo(stranger), { answer: 'perhaps' })).status).toBe(400);
    expect(await entries()).toEqual([]);
  });
});
