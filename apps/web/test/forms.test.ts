import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { paths } from '../src/lib/paths.ts';
import { openStage } from './stage.ts';

const stage = await openStage();
const org = stage.org.name;

/** Presses and releases at the current position of the target, as a hand does, even if the target moves in between. */
async function clickWhereItIs(page: Page, target: Locator): Promise<void> {
  // A long form is scrolled to its button.
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  if (!box) throw new Error(`${target} is not to be seen`);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  // Changes on leaving the field are rendered before the button is released.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  await page.mouse.up();
}

async function openInvitation(page: Page): Promise<Locator> {
  await page.goto(paths.settings(org, 'members'));
  await page.getByRole('button', { name: 'Invite member' }).click();
  return page.getByRole('dialog', { name: `Invite member to ${org}` });
}

describe('a form with a mistake', () => {
  it('is sent by the first click after the mistake is corrected', async () => {
    const { page, troubles } = await stage.open('ada');
    const form = await openInvitation(page);
    const email = form.getByRole('textbox', { name: 'Email address' });
    const send = form.getByRole('button', { name: 'Send invitation' });
    await email.fill('bad');
    await clickWhereItIs(page, send);
    await form.getByText("Please include an '@' in the email address").waitFor();
    expect(await email.evaluate((field) => field.matches(':focus'))).toBe(true);
    await email.fill('greta@example.com');
    await clickWhereItIs(page, send);
    await page.getByText('Invitation sent to greta@example.com').waitFor();
    expect(troubles).toEqual([]);
  });

  it('is canceled by the first click, even after leaving a field with a mistake', async () => {
    const { page } = await stage.open('ada');
    const form = await openInvitation(page);
    await form.getByRole('textbox', { name: 'Email address' }).fill('bad');
    await clickWhereItIs(page, form.getByRole('button', { name: 'Cancel' }));
    await form.waitFor({ state: 'detached' });
  });

  it('names every field that is empty, and keeps the errors of those that are not corrected yet', async () => {
    const { page } = await stage.open('ada');
    await page.goto(paths.settings(org, 'trust'));
    await page.getByRole('button', { name: 'Trust identity' }).click();
    const form = page.getByRole('dialog', { name: 'Trust Sigstore identity' });
    const send = form.getByRole('button', { name: 'Trust identity' });
    await clickWhereItIs(page, send);
    const errors = form.getByText('Please fill out this field.');
    await expect.poll(() => errors.count()).toBe(3);
    await form.getByRole('textbox', { name: 'Name' }).fill('releases');
    await expect.poll(() => errors.count()).toBe(2);
  });

  it('can be sent again unchanged after the server refused it', async () => {
    const { page } = await stage.open('ada');
    await page.goto(paths.environments(org));
    await page.getByRole('button', { name: 'Create environment' }).click();
    const form = page.getByRole('dialog', { name: 'Create environment' });
    const name = form.getByRole('textbox', { name: 'Name' });
    const send = form.getByRole('button', { name: /^Create/ });
    await name.fill('no spaces allowed');
    const refused = () => page.waitForResponse((answer) => answer.status() === 400);
    await Promise.all([refused(), clickWhereItIs(page, send)]);
    await form.getByRole('alert').getByText('Correct the marked field', { exact: true }).waitFor();
    expect(await form.getByText("field 'name'").count()).toBe(0);
    await Promise.all([refused(), clickWhereItIs(page, send)]);
    await form.getByRole('alert').waitFor();
    await name.fill('spaceless');
    await clickWhereItIs(page, send);
    await form.waitFor({ state: 'detached' });
  });
});
