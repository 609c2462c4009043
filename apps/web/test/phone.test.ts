import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { paths } from '../src/lib/paths.ts';
import { settle } from './settle.ts';
import { openStage } from './stage.ts';

const stage = await openStage();
const org = stage.org.name;

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const SCROLLED = 600;

const scrollY = (page: Page): Promise<number> => page.evaluate('scrollY');

/** A long page, scrolled, with the menu open. */
async function openMenu(page: Page) {
  await page.goto(paths.environment(org, 'production'));
  await settle(page);
  await page.evaluate(`scrollTo(0, ${SCROLLED})`);
  const button = page.getByRole('button', { name: 'Menu' });
  await button.tap();
  const menu = page.getByRole('dialog', { name: 'Menu' });
  await menu.waitFor();
  return { button, menu };
}

describe('the menu on a phone', () => {
  it('opens visibly over a scrolled page, and leaves the page where it is', async () => {
    const { page, troubles } = await stage.open('ada', PHONE);
    const { menu } = await openMenu(page);
    expect(await menu.boundingBox()).toMatchObject({ x: 0, y: 0, height: PHONE.viewport.height });
    await page.mouse.move(140, 400);
    await page.mouse.wheel(0, 2_000);
    await page.mouse.move(370, 400);
    await page.mouse.wheel(0, 2_000);
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await scrollY(page)).toBe(SCROLLED);
    await menu.getByRole('link', { name: 'Policies' }).tap();
    await page.getByRole('heading', { name: 'Policies', level: 1 }).waitFor();
    await menu.waitFor({ state: 'detached' });
    expect(troubles).toEqual([]);
  });

  it('keeps the focus until Escape closes it, and returns it to its button', async () => {
    const { page } = await stage.open('ada', PHONE);
    const { button, menu } = await openMenu(page);
    // Right after opening, the dialog itself has the focus.
    const isInside = () => page.locator('[role=dialog]:focus, [role=dialog] :focus').count();
    const stops = await menu.locator('a, button').count();
    for (let step = 0; step <= stops + 1; step++) {
      expect(await isInside()).toBe(1);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    await expect.poll(() => button.evaluate((element) => element.matches(':focus'))).toBe(true);
  });

  it('closes on a tap outside it, and when the screen becomes wide', async () => {
    const { page } = await stage.open('ada', PHONE);
    const { button, menu } = await openMenu(page);
    await page.touchscreen.tap(370, 400);
    await menu.waitFor({ state: 'detached' });
    expect(await scrollY(page)).toBe(SCROLLED);
    await button.tap();
    await menu.waitFor();
    await page.setViewportSize({ width: 1200, height: 844 });
    await menu.waitFor({ state: 'detached' });
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Policies' }).waitFor();
  });
});

it('an evidence chain is a list on a phone', async () => {
  const { page } = await stage.open('ada', PHONE);
  const { service, trail } = stage.org.violation.release;
  await page.goto(paths.trail(org, service, trail));
  const chain = page.getByRole('region', { name: 'Evidence chain' });
  await chain.getByRole('table', { name: 'Evidence chain' }).waitFor();
  expect(await chain.getByRole('figure').isVisible()).toBe(false);
});
