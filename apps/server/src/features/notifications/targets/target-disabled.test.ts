import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { type GivenTarget, givenNotification, givenTarget } from '../../../../test/given/deliveries.ts';
import { stateRow } from '../../../../test/given/waiting-deliveries.ts';
import { noLog, startApi } from '../../../../test/harness.ts';
import { startMailServer } from '../../../../test/mail-server.ts';
import { openMailer } from '../../../platform/mail/mailer.ts';
import { sendDueMails } from '../../../platform/mail/outbox.ts';
import { disableTarget } from './disable-target.ts';
import { targetDisabledMail } from './target-disabled.mail.ts';

const api = await startApi();
const smtp = await startMailServer();
const mailer = openMailer({ url: smtp.url, from: 'waymark@waymark.test' });
const kinds = [targetDisabledMail('https://waymark.example.org')];
const because = 'All attempts in 5 days failed. Last error: The receiver answered 500';
let numbers = 0;

beforeEach(async () => {
  smtp.received.length = 0;
  await sql`update user_account set email = login || '@example.org' where login = 'acme-admin'`.execute(api.db);
});

function later(minutes: number): void {
  api.clock.now = new Date(api.clock.now.getTime() + minutes * 60_000);
}

async function givenFailing(): Promise<GivenTarget> {
  numbers += 1;
  const sourceId = await givenNotification(api, numbers);
  const target = await givenTarget(api, { sourceId, url: `https://hooks-${numbers}.example.org/secret-path` });
  await sql`update target_state set failures = 20, failing_since = ${new Date(api.clock.now.getTime() - 6 * 24 * 3_600_000)}
    where org_id = ${api.org.id} and target_id = ${target.id}`.execute(api.db);
  return target;
}

function disable(target: GivenTarget): Promise<void> {
  const row = { org_id: target.org.id, target_id: target.id };
  return disableTarget({ db: api.db, log: noLog }, row, { because, at: api.clock.now });
}

function sendMails(): Promise<number> {
  return sendDueMails({ db: api.db, mailer, kinds, log: noLog, now: () => api.clock.now });
}

it('mails the admins once about all targets that were disabled together, without their URLs', async () => {
  await disable(await givenFailing());
  later(1);
  await disable(await givenFailing());
  expect(await sendMails()).toBe(0);
  later(5);
  expect(await sendMails()).toBe(1);
  const mail = await smtp.mailTo('acme-admin@example.org');
  expect(mail.subject).toBe('Notifications of acme cannot be delivered');
  expect(mail.text).toContain('hooks-1.example.org, of the notification “notification-1”');
  expect(mail.text).toContain('hooks-2.example.org, of the notification “notification-2”');
  expect(mail.text).not.toContain('secret-path');

  later(60);
  await disable(await givenFailing());
  later(5);
  expect(await sendMails()).toBe(1);
  const { text } = await smtp.mailTo('acme-admin@example.org');
  expect(text).toContain('hooks-3.example.org');
  expect(text).not.toContain('hooks-1.example.org');
});

it('disables a target once, however many workers do so', async () => {
  const target = await givenFailing();
  const before = await api.journal();
  await Promise.all([disable(target), disable(target), disable(target)]);
  const added = (await api.journal()).slice(before.length);
  expect(added).toEqual([
    {
      type: 'target.disabled',
      subject_seq: 2,
      actor: 'deliveries',
      payload: {
        source_id: target.sourceId,
        config_type: null,
        kind: 'WEBHOOK',
        host: `hooks-${numbers}.example.org`,
        because,
        dropped: 0,
      },
    },
  ]);
  expect(await stateRow(api, target)).toMatchObject({ disabled_at: api.clock.now, disabled_because: because });
});

it('does nothing when the target was put again in the meantime', async () => {
  const target = await givenFailing();
  await disable(target);
  await sql`update target_state set disabled_at = null where org_id = ${api.org.id} and target_id = ${target.id}`.execute(
    api.db,
  );
  later(5);
  await sendMails();
  expect(smtp.received).toEqual([]);
});

it('reports a target that answered 410, whenever it failed first', async () => {
  later(1);
  const target = await givenFailing();
  await sql`update target_state set failures = 0, failing_since = null
    where org_id = ${api.org.id} and target_id = ${target.id}`.execute(api.db);
  await disable(target);
  later(5);
  expect(await sendMails()).toBe(1);
  expect((await smtp.mailTo('acme-admin@example.org')).text).toContain(`hooks-${numbers}.example.org`);
});
