import type { Message, MessageTrigger } from '@waymark/messages';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { givenMessage, givenOutgoing, HOSTILE_NAMES } from '../../../../test/given/outgoing.ts';
import { linkIn, startMailServer } from '../../../../test/mail-server.ts';
import { openMailer } from '../../../platform/mail/mailer.ts';
import type { Outgoing, SendParts } from './outgoing.ts';
import { sendMail } from './send-mail.ts';

const mails = await startMailServer();
const mailer = openMailer({ url: mails.url, from: 'waymark@waymark.test' });
afterAll(() => mailer.close());

const parts: SendParts = {
  publicUrl: 'https://waymark.test',
  outbound: () => Promise.reject(new Error('no mail is sent by HTTP')),
  mailer,
  signWithOrgKey: async () => undefined,
  unsubscribeUrl: (org, target, address) => `https://waymark.test/unsubscribe/${btoa(`${org} ${target} ${address}`)}`,
};
const attempt = { requestId: 'request-1', at: new Date('2026-11-15T12:00:00Z') };

async function received(outgoing: Outgoing, using = parts) {
  expect(await sendMail(using, outgoing, attempt)).toEqual({ delivered: true, status: 250 });
  const newest = mails.received.at(-1);
  if (!newest) throw new Error('nothing was received');
  return newest;
}

const headerOf = (mail: Awaited<ReturnType<typeof received>>['mail'], key: string) =>
  mail.headers.find((header) => header.key === key)?.value;

const givenKey: Message['content'] = {
  ...givenMessage.content,
  environment: null,
  snapshot: null,
  artifact: null,
  names: [],
  why: null,
  apiKey: { id: 'k1', description: 'deploy key', owner: 'ci', expiresAt: 1_790_000_000, daysLeft: 7 },
};

beforeEach(() => {
  Object.assign(mails, { refuse: undefined, refuseContent: undefined, delayMs: 0, contentWaitsFor: undefined });
  mails.received.length = 0;
});

it('has what, where, why and a link, as text and as HTML', async () => {
  const { to, mail } = await received(givenOutgoing({ kind: 'EMAIL' }));
  expect(to).toEqual(['ada@example.test']);
  expect(mail.subject).toBe('Non-compliant: production');
  expect(mail.to).toEqual([{ name: '', address: 'ada@example.test' }]);
  expect(mail.messageId).toBe('<01890a5d-ac96-774b-bcce-b302099a8057@waymark.test>');
  expect(headerOf(mail, 'auto-submitted')).toBe('auto-generated');
  const lines = [
    'Non-compliant: production',
    'has no provenance',
    'Snapshot: 42 (non-compliant)',
    'https://waymark.test/acme/environments/production/snapshots/42',
    'You receive this email because the notification “production alerts” of acme is sent to this address.',
  ];
  for (const line of lines) expect(mail.text).toContain(line);
  expect(mail.html).toContain('href="https://waymark.test/acme/environments/production/snapshots/42"');
});

it('offers one-click unsubscribing, and is the same mail when it is retried', async () => {
  const first = await received(givenOutgoing({ kind: 'EMAIL' }));
  const again = await received(givenOutgoing({ kind: 'EMAIL' }));
  expect(again.mail.messageId).toBe(first.mail.messageId);
  expect(headerOf(first.mail, 'list-unsubscribe')).toMatch(/^<https:\/\/waymark\.test\/unsubscribe\/[\w=]+>$/);
  expect(headerOf(first.mail, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
  const stop = headerOf(first.mail, 'list-unsubscribe')?.slice(1, -1);
  expect(first.mail.html).toContain(`href="${stop}"`);
  expect(first.mail.text).toContain(`Unsubscribe: ${stop}`);
});

it('a derived recipient cannot stop a warning about a key', async () => {
  const target = { kind: 'EMAIL', sourceName: null, derived: true } as const;
  const { mail } = await received(givenOutgoing(target, { trigger: 'api_key_expiry', content: givenKey }));
  expect(mail.subject).toBe('API key expires in 7 days: deploy key');
  expect(headerOf(mail, 'list-unsubscribe')).toBeUndefined();
  expect(mail.text).toContain(
    'You receive this email because the key is yours, because you created its service account, or because you are an admin of acme.',
  );
  expect(linkIn(mail)).toBe('https://waymark.test/acme/settings/keys');
});

it('an address that an admin configured can stop a warning about a key', async () => {
  const target = { kind: 'EMAIL', sourceName: null, derived: false } as const;
  const { mail } = await received(givenOutgoing(target, { trigger: 'api_key_expiry', content: givenKey }));
  expect(mail.text).toContain('the admins of acme have warnings about API keys sent to this address.');
  const stop = headerOf(mail, 'list-unsubscribe')?.slice(1, -1);
  expect(stop).toMatch(/^https:\/\/waymark\.test\/unsubscribe\/[\w=]+$/);
  expect(headerOf(mail, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
  expect(mail.text).toContain(`Unsubscribe: ${stop}`);
});

it('has no such header without a link', async () => {
  const { mail } = await received(givenOutgoing({ kind: 'EMAIL' }), { ...parts, unsubscribeUrl: () => undefined });
  expect(headerOf(mail, 'list-unsubscribe')).toBeUndefined();
  expect(headerOf(mail, 'list-unsubscribe-post')).toBeUndefined();
});

const TRIGGERS: readonly MessageTrigger[] = [
  'ON_NON_COMPLIANT_ENV',
  'ON_STARTED_ARTIFACT',
  'ON_ATTESTATION',
  'api_key_expiry',
];

describe.each(HOSTILE_NAMES)('something named %j', (name) => {
  it.each(TRIGGERS)('is displayed as text by %s', async (trigger) => {
    const { to, mail } = await received(hostileOutgoing(name, trigger));
    expect(to).toEqual(['ada@example.test']);
    expect(mail.bcc ?? []).toEqual([]);
    expect(mail.headers.filter(({ key }) => key === 'subject')).toHaveLength(1);
    expect(mail.subject).not.toMatch(/[\r\n\p{Cc}\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/u);
    expect(mail.subject?.length).toBeLessThan(300);
    expect(mail.text?.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/u);
    expect(mail.text?.length).toBeLessThan(10_000);
    expect(mail.html).not.toMatch(/<(script|img|iframe)|\son\w+=["']/i);
    // Without our own links there are no links left.
    const rest = `${mail.text} ${mail.html}`.replace(/https:\/\/waymark\.test\/[^\s"<]*/g, '');
    expect(rest).not.toMatch(/:\/\/|evil\.example|\w@\w+\.\w/);
  });
});

function hostileOutgoing(name: string, trigger: MessageTrigger): Outgoing {
  const isKey = trigger === 'api_key_expiry';
  const isFlow = trigger === 'ON_ATTESTATION';
  const provenance = { flow: `${name}2`, trail: name, commit: name, commitUrl: name, buildUrl: name, artifactId: name };
  const content: Message['content'] = {
    environment: isFlow || isKey ? null : name,
    flow: isFlow ? name : null,
    snapshot: isFlow || isKey ? null : { index: 1, status: name },
    artifact: { name, fingerprint: name, compliant: false, provenance },
    trail: isFlow ? { name, compliant: false } : null,
    attestation: isFlow ? { id: name, name, type: name, compliant: false } : null,
    apiKey: isKey ? { ...(givenKey.apiKey ?? raise()), description: name, owner: name } : null,
    names: [name],
    why: name,
  };
  return givenOutgoing({ kind: 'EMAIL', sourceName: name }, { trigger, content, org: name });
}

function raise(): never {
  throw new Error('there is a key');
}

describe('the mail server answers', () => {
  const outcome = (using = parts) => sendMail(using, givenOutgoing({ kind: 'EMAIL' }), attempt);

  it.each([
    [550, true, 'The mail server rejected the address: 550 5.1.1'],
    [450, false, 'The mail server rejected the address: 450 5.1.1'],
  ])('%i about the address', async (code, final, error) => {
    mails.refuse = { code, text: '5.1.1 mx1.internal: no such mailbox <ada@example.test>' };
    expect(await outcome()).toEqual({ delivered: false, status: code, error, final, gone: false, retryAfterMs: null });
  });

  it.each([
    [554, true, 'The mail server rejected the email: 554'],
    [451, false, 'The mail server rejected the email: 451'],
  ])('%i about the mail', async (code, final, error) => {
    mails.refuseContent = { code, text: 'mx1.internal does not like it' };
    expect(await outcome()).toEqual({ delivered: false, status: code, error, final, gone: false, retryAfterMs: null });
  });

  it('nothing, because there is none', async () => {
    const nowhere = openMailer({ url: 'smtp://127.0.0.1:9', from: 'waymark@waymark.test' });
    const error = 'The mail server cannot be reached or sent an unexpected response';
    expect(await outcome({ ...parts, mailer: nowhere })).toMatchObject({ delivered: false, error, final: false });
  });

  it('nothing in time', async () => {
    const held = Promise.withResolvers<void>();
    mails.contentWaitsFor = held.promise;
    const error = 'The mail server did not accept the email in time';
    expect(await outcome()).toMatchObject({ delivered: false, error, final: false });
    // It still arrives, as nobody can take it back.
    held.resolve();
    await expect.poll(() => mails.received.length).toBe(1);
  });

  it('nothing, because the installation sends no mail', async () => {
    const error = 'This installation cannot send email';
    expect(await outcome({ ...parts, mailer: undefined })).toMatchObject({ delivered: false, error, final: true });
  });
});

it('does not count waiting for other mails as sending, and is not sent when that takes too long', async () => {
  const slow = openMailer({ url: mails.url, from: 'waymark@waymark.test' });
  // A mail may wait 5 seconds and take 10; with 3 and 8, the total exceeds either.
  mails.delayMs = 3_000;
  const sending = Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      sendMail(
        { ...parts, mailer: slow },
        { ...givenOutgoing({ kind: 'EMAIL' }), address: `a${i}@example.test` },
        attempt,
      ),
    ),
  );
  await expect.poll(() => mails.thinking).toBe(5);
  mails.delayMs = 8_000;
  const outcomes = await sending;
  slow.close();
  const busy = outcomes.filter(({ delivered }) => !delivered);
  expect(busy).toHaveLength(2);
  const error = 'The mail server is busy with other emails: this one was not sent';
  for (const one of busy) expect(one).toMatchObject({ delivered: false, error, final: false, status: null });
  // A mail that was reported as not sent never arrives, not even later.
  const arrived = mails.received.flatMap(({ to }) => to).sort();
  expect(arrived).toEqual(outcomes.flatMap(({ delivered }, i) => (delivered ? [`a${i}@example.test`] : [])).sort());
});

it('sends the mail of one org before those of another that has many waiting', async () => {
  const shared = openMailer({ url: mails.url, from: 'waymark@waymark.test' });
  const held = Promise.withResolvers<void>();
  mails.contentWaitsFor = held.promise;
  const send = (orgId: string, address: string) =>
    sendMail({ ...parts, mailer: shared }, { ...givenOutgoing({ kind: 'EMAIL' }), orgId, address }, attempt);
  const begun: Promise<unknown>[] = [];
  for (let i = 0; i < 5; i++) begun.push(send('many', `first-${i}@example.test`));
  await expect.poll(() => mails.thinking).toBe(5);
  for (let i = 0; i < 10; i++) begun.push(send('many', `waiting-${i}@example.test`));
  begun.push(send('one', 'ada@example.test'));
  expect(shared.figures()).toMatchObject({ running: 5, waiting: 11 });
  held.resolve();
  await Promise.all(begun);
  shared.close();
  // Five were under way, and as many may have arrived after them in any order.
  const order = mails.received.flatMap(({ to }) => to);
  expect(order.indexOf('ada@example.test')).toBeLessThan(10);
});

it('stops waiting when the worker stops, for the answer and for a connection', async () => {
  const slow = openMailer({ url: mails.url, from: 'waymark@waymark.test' });
  const held = Promise.withResolvers<void>();
  mails.contentWaitsFor = held.promise;
  const stopping = new AbortController();
  const { signal } = stopping;
  const sending = Array.from({ length: 6 }, () =>
    sendMail({ ...parts, mailer: slow }, givenOutgoing({ kind: 'EMAIL' }), { ...attempt, signal }),
  );
  await expect.poll(() => mails.thinking).toBe(5);
  stopping.abort();
  const ends = await Promise.allSettled(sending);
  expect(ends.map(({ status }) => status)).toEqual(Array(6).fill('rejected'));
  // The server has five that nobody can take back; the sixth was never sent.
  held.resolve();
  await expect.poll(() => mails.thinking).toBe(0);
  await expect.poll(() => mails.received.length).toBe(5);
  expect(await sendMail({ ...parts, mailer: slow }, givenOutgoing({ kind: 'EMAIL' }), attempt)).toMatchObject({
    delivered: true,
  });
  expect(mails.received).toHaveLength(6);
  slow.close();
});

it.each(['a=b@example.org', 'a/b@example.org', 'jürgen@example.org', "o'neil+x@example.org"])(
  'reaches %s and nobody else',
  async (address) => {
    const { to, mail } = await received({ ...givenOutgoing({ kind: 'EMAIL' }), address });
    expect(to).toEqual([address]);
    expect(mail.to).toEqual([{ name: '', address }]);
  },
);
