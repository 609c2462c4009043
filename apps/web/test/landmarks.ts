import type { Locator, Page } from 'playwright-core';
import type { Hands } from './hands.ts';

/** The locale and time zone of a journey's browser, wherever the tests run. */
export const HERE = { timezoneId: 'UTC', locale: 'en-US' } as const;

export const door = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });

export const part = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: /^Parts of/ }).getByRole('link', { name, exact: true });

export const panel = (page: Page, name: string | RegExp): Locator => page.getByRole('region', { name });

/** Selects from a field that suggests names for the typed text. */
export async function pick(page: Page, hands: Hands, field: Locator, name: string): Promise<void> {
  await hands.fill(field, name);
  const option = page.getByRole('option', { name, exact: true });
  await option.waitFor();
  if (hands.name === 'mouse') return option.click();
  await arrowTo(page, option);
  await page.keyboard.press('Enter');
}

/** More than any list offers. */
const OPTIONS_MAX = 60;

/** Moves down the list below a field until the option is the marked one. */
export async function arrowTo(page: Page, option: Locator): Promise<void> {
  for (let count = 0; count < OPTIONS_MAX; count++) {
    if ((await option.getAttribute('data-focused')) === 'true') return;
    await page.keyboard.press('ArrowDown');
  }
  throw new Error(`no arrow leads to ${option}`);
}

/** Fills in a day, such as `2026-11-15`; by keyboard its parts are typed in the order of the field. */
export async function fillDay(page: Page, hands: Hands, field: Locator, day: string): Promise<void> {
  if (hands.name === 'mouse') return field.fill(day);
  const [year = '', month = '', date = ''] = day.split('-');
  await hands.enter(field);
  await page.keyboard.type(`${month}${date}${year}`);
}
