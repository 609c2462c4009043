import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, inject, it } from 'vitest';
import { compiled } from '../../../../tools/services/compiled.ts';
import { newProfile, openBrowser } from '../../test/browser.ts';
import { givenInstallation } from '../../test/faults/installation.ts';
import { type ServerProcess, startServer } from '../../test/faults/processes.ts';
import { linkIn, startMailServer } from '../../test/mail-server.ts';

const mails = await startMailServer();
const browser = await openBrowser();

it('takes a new installation from the set-up link to signing in by mail', { timeout: 600_000 }, async () => {
  const { env, url, startApi } = await givenInstallation();
  const setUp = spawn(process.execPath, [inject('programs').server, 'set-up'], {
    env: { ...compiled, PATH: process.env['PATH'], ...env },
  });
  const [link] = await Promise.all([text(setUp.stdout), once(setUp, 'exit')]);
  const withMail = { ...env, WAYMARK_SMTP_URL: mails.url, WAYMARK_MAIL_FROM: 'Waymark <mail@waymark.test>' };
  const isUp = (worker: ServerProcess) => worker.log().includes('worker runs');
  await Promise.all([startApi(), startServer(['worker'], withMail, isUp)]);

  const { page } = await newProfile(browser, url);
  /** Signing in leads to the web application, which need not be built here. */
  const toAccount = async () => {
    await page.waitForURL(({ pathname }) => !/^\/(set-up|sign-in)/.test(pathname));
    await page.goto(new URL('/account', page.url()).href);
    await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  };
  await page.goto(link.trim());
  await page.getByLabel('Name of your org').fill('acme');
  await page.getByLabel('Your login').fill('ada');
  await page.getByLabel('Your email address').fill('ada@example.test');
  await page.getByLabel('Your name').fill('Ada Lovelace');
  await page.getByRole('button', { name: 'Set up' }).click();
  await toAccount();
  expect(await page.getByRole('rowheader', { name: 'acme' }).count()).toBe(1);

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Email address').fill('ada@example.test');
  await page.getByRole('button', { name: 'Send sign-in link' }).click();
  const mail = await mails.mailTo('ada@example.test');
  expect(mail.from).toEqual({ name: 'Waymark', address: 'mail@waymark.test' });
  await page.goto(linkIn(mail));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await toAccount();
  await page.goto(link.trim());
  await page.getByRole('heading', { name: 'This link is not valid' }).waitFor();
});
