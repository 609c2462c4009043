import type { Page } from 'playwright-core';
import { vi } from 'vitest';

const QUIET_MS = 200;

/** How much has been loaded; undefined while something still is. */
async function loaded(page: Page): Promise<number | undefined> {
  const isBusy = (await page.locator('main[data-busy=true]').count()) > 0;
  const isWaiting = (await page.getByRole('status', { name: 'Loading' }).count()) > 0;
  if (isBusy || isWaiting) return undefined;
  return page.evaluate("performance.getEntriesByType('resource').length");
}

/** Waits until a page has loaded everything, and nothing more arrives. */
export async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  let before: number | undefined;
  await vi.waitUntil(
    async () => {
      const last = before;
      before = await loaded(page);
      return before !== undefined && before === last;
    },
    { timeout: 180_000, interval: QUIET_MS },
  );
}

/** Waits until colours have changed and panels have moved. What pulses while something loads never ends. */
export async function untilStill(page: Page): Promise<void> {
  await page.evaluate(`Promise.allSettled(document.getAnimations()
    .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
    .map(({ finished }) => finished)).then(() => null)`);
}
