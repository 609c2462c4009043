import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { beforeEach, expect, it } from 'vitest';
import { takeAll } from '../../../test/given/turns.ts';
import { noLog, startApi } from '../../../test/harness.ts';
import { startMailServer } from '../../../test/mail-server.ts';
import { newId } from '../ids.ts';
import { openMailer } from './mailer.ts';
import { enqueueMail, type MailKind, type MailParts, runMails, sendDueMails } from './outbox.ts';

const api = await startApi();
const mails = await startMailServer();
const mailer = openMailer({ url: mails.url, from: 'waymark@waymark.test' });

const rendered: string[] = [];
const note: MailKind = {
  kind: 'note',
  lifeMs: 3_600_000,
  async render(_db, { subjectId }) {
    rendered.push(subjectId);
    return { to: `${subjectId}@example.test`, subject: 'Note', text: 'text', html: '<p>html</p>' };
  },
};
const parts: MailParts = { db: api.db, mailer, kinds: [note], log: noLog, now: () => api.clock.now };

const later = (ms: number) => {
  api.clock.now = new Date(api.clock.now.getTime() + ms);
};

async function givenMail(kind = 'note'): Promise<string> {
  const subjectId = newId();
  await enqueueMail(api.db, { kind, subjectId, orgId: null, now: api.clock.now });
  return subjectId;
}

function mailOf(subjectId: string) {
  return api.db.selectFrom('mail').selectAll().where('subject_id', '=', subjectId).executeTakeFirstOrThrow();
}

/** A log that records its messages. */
function recordingLog() {
  const lines: { msg: string }[] = [];
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) });
  return { log, messages: () => lines.map(({ msg }) => msg) };
}

beforeEach(async () => {
  await api.db.deleteFrom('mail').execute();
  Object.assign(mails, { refuse: undefined, refuseContent: undefined, delayMs: 0, recipientsWaitFor: undefined });
  mails.received.length = 0;
  rendered.length = 0;
});

it('sends what was committed, and nothing of what was not', async () => {
  const committed = await givenMail();
  const failed = api.db.transaction().execute(async (trx) => {
    await enqueueMail(trx, { kind: 'note', subjectId: newId(), orgId: null, now: api.clock.now });
    throw new Error('rolled back');
  });
  await expect(failed).rejects.toThrow('rolled back');
  expect(await sendDueMails(parts)).toBe(1);
  expect(mails.received.map(({ to }) => to)).toEqual([[`${committed}@example.test`]]);
  expect(mails.received[0]?.mail).toMatchObject({ subject: 'Note', text: 'text\n', html: '<p>html</p>\n' });
  expect(await mailOf(committed)).toMatchObject({ attempts: 1, sent_at: api.clock.now, failed_at: null });
  expect(await sendDueMails(parts)).toBe(0);
});

it('is sent once, however many workers there are', async () => {
  await Promise.all(Array.from({ length: 60 }, () => givenMail()));
  const worker = () => takeAll(() => sendDueMails(parts));
  const sent = await Promise.all([worker(), worker(), worker()]);
  expect(sent.reduce((sum, count) => sum + count)).toBe(60);
  expect(mails.received).toHaveLength(60);
  expect(new Set(rendered).size).toBe(60);
});

it('tries again, less and less often, until the mail is of no use', async () => {
  const { log, messages } = recordingLog();
  const short = { ...note, lifeMs: 60_000 };
  const subject = await givenMail();
  mails.refuseContent = { code: 451, text: 'try later' };
  const waits: number[] = [];
  for (let round = 0; round < 10; round++) {
    await sendDueMails({ ...parts, kinds: [short], log });
    const { due_at, failed_at } = await mailOf(subject);
    if (failed_at) break;
    waits.push(due_at.getTime() - api.clock.now.getTime());
    api.clock.now = due_at;
  }
  expect(waits).toEqual([5_000, 10_000, 20_000, 40_000]);
  expect(messages()).toEqual([
    ...Array(4).fill('mail not sent, it is tried again'),
    'mail given up: it came to nothing in its time',
  ]);
  expect(mails.received).toEqual([]);
});

it('arrives when the server is back', async () => {
  const subject = await givenMail();
  mails.refuseContent = { code: 451, text: 'try later' };
  await sendDueMails(parts);
  mails.refuseContent = undefined;
  expect(await sendDueMails(parts)).toBe(0);
  later(5_000);
  expect(await sendDueMails(parts)).toBe(1);
  expect(await mailOf(subject)).toMatchObject({ attempts: 2, sent_at: api.clock.now });
  expect(rendered).toEqual([subject, subject]);
});

it('takes no more mails than it can send at once', async () => {
  await Promise.all(Array.from({ length: 7 }, () => givenMail()));
  expect(await sendDueMails(parts)).toBe(5);
  expect(await sendDueMails(parts)).toBe(2);
});

it('waits for a server that thinks longer than a connection may take', async () => {
  const subject = await givenMail();
  mails.delayMs = 11_000;
  await sendDueMails(parts);
  expect(await mailOf(subject)).toMatchObject({ attempts: 1, sent_at: api.clock.now });
  expect(mails.received).toHaveLength(1);
});

it('cuts a server off that takes too long, so that the mail is not sent by the old conversation as well', async () => {
  const subject = await givenMail();
  const held = Promise.withResolvers<void>();
  mails.recipientsWaitFor = held.promise;
  await sendDueMails({ ...parts, sendMs: 200 });
  expect(await mailOf(subject)).toMatchObject({ attempts: 1, sent_at: null, failed_at: null });

  mails.recipientsWaitFor = undefined;
  held.resolve();
  // Long enough for a conversation that goes on to hand over its mail.
  await sleep(300);
  expect(mails.received).toEqual([]);
  later(5_000);
  expect(await sendDueMails(parts)).toBe(1);
  expect(mails.received).toHaveLength(1);
});

it('is given up at once when the server will not have the recipient', async () => {
  const { log, messages } = recordingLog();
  const subject = await givenMail();
  mails.refuse = { code: 550, text: 'no such mailbox' };
  await sendDueMails({ ...parts, log });
  expect(await mailOf(subject)).toMatchObject({ failed_at: api.clock.now, sent_at: null });
  expect(messages()).toEqual(['mail given up: it was refused']);
});

it('waits for a server that cannot be reached', async () => {
  const nowhere = openMailer({ url: 'smtp://127.0.0.1:9', from: 'waymark@waymark.test' });
  const subject = await givenMail();
  await sendDueMails({ ...parts, mailer: nowhere });
  expect(await mailOf(subject)).toMatchObject({ attempts: 1, sent_at: null, failed_at: null });
});

it('is taken over by another worker when the one that had it is gone', async () => {
  const subject = await givenMail();
  const hanging: MailKind = { ...note, render: () => new Promise(() => undefined) };
  void sendDueMails({ ...parts, kinds: [hanging] });
  await expect.poll(async () => (await mailOf(subject)).attempts).toBe(1);
  expect(await sendDueMails(parts)).toBe(0);
  later(60_000);
  expect(await sendDueMails(parts)).toBe(1);
  expect(await mailOf(subject)).toMatchObject({ attempts: 2, sent_at: api.clock.now });
});

it('sends nothing when there is nothing to send any more, and leaves unknown kinds to others', async () => {
  const emptyKind: MailKind = { kind: 'silent', lifeMs: 1_000, render: async () => undefined };
  const [subject, strange] = [await givenMail('silent'), await givenMail('of another version')];
  await sendDueMails({ ...parts, kinds: [emptyKind] });
  expect(await mailOf(subject)).toMatchObject({ sent_at: api.clock.now });
  expect(await mailOf(strange)).toMatchObject({ sent_at: null, failed_at: null });
  expect(mails.received).toEqual([]);
});

it('reads an address as one, whatever is in it', async () => {
  const sly: MailKind = {
    ...note,
    render: async () => ({
      to: 'ada@example.test, eve@example.test',
      subject: 'a\r\nBcc: eve@example.test',
      text: '',
      html: '',
    }),
  };
  await givenMail();
  await sendDueMails({ ...parts, kinds: [sly] });
  expect(mails.received.flatMap(({ to }) => to)).not.toContain('eve@example.test');
  for (const { mail } of mails.received) expect(mail.bcc ?? []).toEqual([]);
});

it('runs until it is stopped, and logs it when there is no mail server', async () => {
  const { log, messages } = recordingLog();
  const stopping = new AbortController();
  const running = runMails({ ...parts, log }, stopping.signal, 20);
  const subject = await givenMail();
  await expect.poll(async () => (await mailOf(subject)).sent_at).not.toBeNull();
  stopping.abort();
  await running;
  await runMails({ ...parts, mailer: undefined, log }, new AbortController().signal);
  expect(messages()).toEqual(['WAYMARK_SMTP_URL is not set: no mail is sent, and nobody can sign in by link']);
  const waiting = await givenMail();
  await sleep(50);
  expect(await mailOf(waiting)).toMatchObject({ attempts: 0 });
});
