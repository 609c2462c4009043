import { expect, it } from 'vitest';
import { linkIn } from '../../server/test/mail-server.ts';
import { openStage } from './stage.ts';

const stage = await openStage();

it('a new admin signs in by a link in an email, and reaches the org', async () => {
  const { page, troubles } = await stage.open();
  await page.goto('/');
  await page.getByLabel('Email address').fill('ada@example.com');
  await page.getByRole('button', { name: 'Send sign-in link' }).click();
  await page.goto(linkIn(await stage.mail.mailTo('ada@example.com')));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${stage.url}/acme`);
  await page
    .getByRole('heading', { name: 'Home' })
    .or(page.getByRole('heading', { level: 1 }))
    .first()
    .waitFor();
  // Without a session the first response is 401, which browsers log.
  expect(troubles.filter((text) => !text.includes('401'))).toEqual([]);
});

it('an expired session leads back to the same place after the next sign-in', async () => {
  const profile = await stage.profile('bea');
  const page = await profile.newPage();
  const place = '/acme/environments?q=prod&sort=last_changed_at&direction=desc';
  await page.goto(place);
  await page.getByRole('link', { name: 'production', exact: true }).waitFor();
  await profile.clearCookies();
  await page.reload();
  await page.getByLabel('Email address').fill('bea@example.com');
  await page.getByRole('button', { name: 'Send sign-in link' }).click();
  await page.goto(linkIn(await stage.mail.mailTo('bea@example.com')));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(stage.url + place);
  await page.getByRole('link', { name: 'production', exact: true }).waitFor();
  expect(await page.getByRole('link', { name: 'staging', exact: true }).count()).toBe(0);
});

it('a user who is not a member is refused, and does not learn whether the org exists', async () => {
  const { page } = await stage.open('carl');
  for (const org of ['nobodys-org', 'ada']) {
    await page.goto(`/${org}/environments`);
    await page.getByText(`Org ‘${org}’ does not exist, or you are not a member of it`).waitFor();
  }
});
