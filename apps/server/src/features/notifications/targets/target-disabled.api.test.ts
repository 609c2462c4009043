import { afterAll, beforeEach, expect, it } from 'vitest';
import { HOSTILE_NAMES } from '../../../../test/given/outgoing.ts';
import { givenPerson } from '../../../../test/given/people.ts';
import { noLog, startApi } from '../../../../test/harness.ts';
import { openMailScreens } from '../../../../test/mail-screens.ts';
import { startMailServer } from '../../../../test/mail-server.ts';
import { mailKinds } from '../../../app/worker.ts';
import { NO_QUOTA } from '../../../platform/http/storage-quota.ts';
import { newId } from '../../../platform/ids.ts';
import { openMailer } from '../../../platform/mail/mailer.ts';
import { sendDueMails } from '../../../platform/mail/outbox.ts';
import { enqueueToAdmins } from './target-disabled.mail.ts';

const api = await startApi();
const mails = await startMailServer();
const expectHarmless = await openMailScreens();
const mailer = openMailer({ url: mails.url, from: 'waymark@waymark.test' });
afterAll(() => mailer.close());
const kinds = mailKinds({ publicUrl: 'https://waymark.test', signUp: 'invited', storageQuota: NO_QUOTA });
const { org } = api;

await givenPerson(api, { org, role: 'admin', email: 'ada@example.test' });
await givenPerson(api, { org, role: 'admin', email: 'grace@example.test' });
await givenPerson(api, { org, role: 'member', email: 'member@example.test' });

let number = 0;

async function givenDisabledTarget(name: string, disabledAt: Date | null = api.clock.now): Promise<void> {
  const [notification, target] = [newId(), newId()];
  const [org_id, created_at] = [org.id, api.clock.now];
  await api.db
    .insertInto('notification')
    .values({
      org_id,
      id: notification,
      number: ++number,
      kind: 'env',
      name: `${name}${number}`.replaceAll('\u0000', ''),
      triggers: ['ON_NON_COMPLIANT_ENV'],
      created_at,
      created_by: 'tests',
      last_modified_at: created_at,
    })
    .execute();
  await api.db
    .insertInto('notification_target')
    .values({
      org_id,
      id: target,
      source_id: notification,
      config_type: null,
      kind: 'CHAT',
      position: 0,
      url_sealed: 'sealed',
      url_sha256: Buffer.alloc(32),
      url_host: 'hooks.slack.com',
      payload_version: null,
      context: null,
      secret_sealed: null,
      created_at,
    })
    .execute();
  const failingSince = new Date(api.clock.now.getTime() - 5 * 86_400_000);
  const because = 'Nothing could be delivered for 5 days';
  await api.db
    .insertInto('target_state')
    .values({
      org_id,
      target_id: target,
      failing_since: failingSince,
      disabled_at: disabledAt,
      disabled_because: because,
    })
    .execute();
}

async function mailAdmins(): Promise<void> {
  await enqueueToAdmins(api.db, org.id, api.clock.now);
  api.clock.now = new Date(api.clock.now.getTime() + 300_000);
  expect(await sendDueMails({ db: api.db, mailer, kinds, log: noLog, now: () => api.clock.now })).toBe(2);
  api.clock.now = new Date(api.clock.now.getTime() + 1_000);
}

beforeEach(() => {
  mails.received.length = 0;
});

it('mails each admin who has an address, once, and nobody else', async () => {
  await givenDisabledTarget('production alerts ');
  await mailAdmins();
  expect(mails.received.flatMap(({ to }) => to).sort()).toEqual(['ada@example.test', 'grace@example.test']);
  for (const { mail } of mails.received) {
    expect(mail.subject).toBe('Notifications of acme cannot be delivered');
    expect(mail.text).toContain(`hooks.slack.com, of the notification “production alerts ${number}”`);
    await expectHarmless(mail.html ?? '', 'target-disabled');
  }
  await mailAdmins();
  expect(mails.received).toHaveLength(2);
});

it('does not report a target that was enabled again', async () => {
  await givenDisabledTarget('production alerts ', null);
  await mailAdmins();
  expect(mails.received).toEqual([]);
});

it.each(HOSTILE_NAMES)('shows %j as text', async (name) => {
  await givenDisabledTarget(name.toWellFormed());
  await mailAdmins();
  expect(mails.received).toHaveLength(2);
  for (const { mail } of mails.received) {
    expect(mail.bcc ?? []).toEqual([]);
    expect(mail.text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]|evil\.example/u);
    expect(mail.html).not.toMatch(/<(script|img|iframe)|\son\w+=["']|evil\.example/i);
    await expectHarmless(mail.html ?? '', `target-disabled-${HOSTILE_NAMES.indexOf(name)}`);
  }
});
