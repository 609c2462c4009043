import { expect, it, onTestFinished } from 'vitest';
import { newProfile, openBrowser, startListeningApi } from '../../../test/browser.ts';
import { givenPerson } from '../../../test/given/people.ts';
import { noLog } from '../../../test/harness.ts';
import { linkIn, startMailServer } from '../../../test/mail-server.ts';
import { mailKinds } from '../../app/worker.ts';
import { NO_QUOTA } from '../../platform/http/storage-quota.ts';
import { openMailer } from '../../platform/mail/mailer.ts';
import { runMails } from '../../platform/mail/outbox.ts';
import { systemClock } from '../../platform/time.ts';

const api = await startListeningApi();
const base = api.app.publicUrl;
const mails = await startMailServer();
const browser = await openBrowser();
await givenPerson(api, { login: 'ada', email: 'ada@example.test', displayName: 'Ada Lovelace' });

/** The worker's part, in real time. */
function givenMailWorker(): void {
  const stopping = new AbortController();
  const mailer = openMailer({ url: mails.url, from: 'waymark@waymark.test' });
  const kinds = mailKinds({ publicUrl: base, signUp: 'invited', storageQuota: NO_QUOTA });
  const now = () => {
    api.clock.now = systemClock();
    return api.clock.now;
  };
  const running = runMails({ db: api.db, mailer, kinds, log: noLog, now }, stopping.signal, 50);
  onTestFinished(async () => {
    stopping.abort();
    await running;
    mailer.close();
  });
}

it('signs in with Chromium by a link from the mail, in the browser that asked, and out again', {
  timeout: 600_000,
}, async () => {
  givenMailWorker();
  const { profile, page } = await newProfile(browser, base);
  const problems: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())));
  page.on('pageerror', (error) => void problems.push(String(error)));

  await page.goto('/account');
  expect(new URL(page.url()).pathname).toBe('/sign-in');
  await page.getByLabel('Email address').fill('ada@example.test');
  await page.getByRole('button', { name: 'Send sign-in link' }).click();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  const link = linkIn(await mails.mailTo('ada@example.test'));

  const elsewhere = await newProfile(browser, base);
  await elsewhere.page.goto(link);
  await elsewhere.page.getByRole('heading', { name: 'Open this link in the original browser' }).waitFor();
  expect(await elsewhere.page.getByRole('button').count()).toBe(0);

  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/account');
  const cookies = await profile.cookies();
  expect(cookies.find(({ name }) => name === '__Host-waymark')).toMatchObject({
    httpOnly: true,
    secure: true,
    sameSite: 'Lax',
    path: '/',
    domain: 'localhost',
  });
  expect(await page.evaluate('document.cookie')).toBe('');

  await page.goto(link);
  await page.getByRole('heading', { name: 'This link was already used' }).waitFor();
  await page.goto('/account');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You have signed out.').waitFor();
  await page.goto('/account');
  expect(new URL(page.url()).pathname).toBe('/sign-in');
  expect(problems.filter((text) => !text.includes('410'))).toEqual([]);
});
