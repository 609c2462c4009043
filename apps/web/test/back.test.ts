import { expect, it } from 'vitest';
import { paths } from '../src/lib/paths.ts';
import { settle } from './settle.ts';
import { openStage } from './stage.ts';

const stage = await openStage();
const org = stage.org.name;
/** No checkpoint is signed here. A proof that is closed at once may have been requested by then, or not. */
const NO_LEDGER = / 404 .*\/(region-log|ledger)\//;

it('back leads from evidence that was closed to the reasons it was opened from', async () => {
  const { page, troubles } = await stage.open('ada');
  const why = paths.environmentWhy(org, 'production');
  await page.goto(why);
  await page.getByRole('region', { name: 'To fix' }).getByRole('link', { name: 'Open sast' }).click();
  const evidence = page.getByRole('dialog');
  await evidence.getByText('sast').first().waitFor();
  await page.keyboard.press('Escape');
  await evidence.waitFor({ state: 'detached' });
  await page.goBack();
  await page.getByRole('region', { name: 'Why production is non-compliant' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(why);
  expect(await evidence.count()).toBe(0);
  expect(troubles).toEqual([]);
});

it('back does not open a proof or an editor again', async () => {
  const { page, troubles } = await stage.open('ada');
  const policy = paths.policy(org, 'prod-release');
  await page.goto(policy);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.waitForURL(/[?&]edit=yes/);
  await page.getByRole('button', { name: 'Stop editing' }).click();
  await expect.poll(() => new URL(page.url()).search).toBe('');
  await page.goBack();
  await settle(page);
  expect(new URL(page.url()).search).toBe('');

  const { service, trail } = stage.org.violation.release;
  await page.goto(paths.trail(org, service, trail));
  await page.getByRole('button', { name: /Proof$/ }).click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.goBack();
  await settle(page);
  expect(new URL(page.url()).search).toBe('');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(troubles.filter((text) => !NO_LEDGER.test(text))).toEqual([]);
});
