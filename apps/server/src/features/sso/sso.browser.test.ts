import { putSso } from '@waymark/contract';
import { afterAll, expect, it } from 'vitest';
import { newProfile, openBrowser, startListeningApi } from '../../../test/browser.ts';
import { givenPerson, givenSession } from '../../../test/given/people.ts';
import { startProvider } from '../../../test/oidc/start-provider.ts';
import { SESSION_COOKIE } from '../../platform/http/session-cookie.ts';

const api = await startListeningApi();
const base = api.app.publicUrl;
const provider = await startProvider({ redirectUris: [`${base}/sign-in/*/callback`] });
afterAll(() => provider.stop());
const browser = await openBrowser();

it('signs somebody in by Chromium, who is led on to where they wanted to go', async () => {
  const body = { issuer: provider.issuer, client_id: provider.clientId };
  expect((await api.call(putSso, { body })).status).toBe(200);
  const { page, profile } = await newProfile(browser, base);
  await page.goto(`/sign-in/${api.org.name}?next=%2Faccount%3Ffrom%3Dtest`);
  await page.getByRole('link', { name: /Continue to 127\.0\.0\.1/ }).click();
  await page.locator('input[name=login]').fill('linus');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(`${base}/account?from=test`);
  expect(await page.content()).toContain('linus');
  const cookie = (await profile.cookies()).find(({ name }) => name === SESSION_COOKIE);
  expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax', path: '/' });
  const answer = await page.request.get(`/api/v2/flows/${api.org.name}`);
  expect(answer.status()).toBe(200);
});

it('is configured, tested and enforced by an admin in Chromium', async () => {
  const org = await api.givenOrg('browsed');
  const admin = await givenPerson(api, { org, role: 'admin', login: 'margaret', email: 'margaret@corp.test' });
  const { page, profile } = await newProfile(browser, base);
  const { cookie } = await givenSession(api, admin);
  const value = cookie.slice(SESSION_COOKIE.length + 1);
  // A cookie set by hand must be marked as secure; the browser knows that localhost is.
  await profile.addCookies([
    { name: SESSION_COOKIE, value, url: base.replace('http:', 'https:'), secure: true, httpOnly: true },
  ]);

  await page.goto('/organizations/browsed/sso');
  await page.getByLabel('Issuer').fill(`${provider.issuer}/wrong`);
  await page.getByLabel('Client', { exact: true }).fill(provider.clientId);
  await page.getByLabel('Email domains').fill('corp.test');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').filter({ hasText: 'cannot be read' }).waitFor();
  await page.getByLabel('Issuer').fill(provider.issuer);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();

  await page.getByRole('link', { name: 'Run test' }).click();
  await page.locator('input[name=login]').fill('margaret');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'The test succeeded' }).waitFor();
  await page.getByRole('link', { name: 'Go to settings' }).click();
  await page.getByRole('button', { name: 'Enforce single sign-on' }).click();

  // The earlier session no longer counts here.
  await page.getByRole('heading', { name: 'Sign in to browsed' }).waitFor();
  await page.getByRole('link', { name: /Continue to/ }).click();
  await page.waitForURL(`${base}/organizations/browsed/sso`);
  await page.getByText('Enforced since').waitFor();
});
