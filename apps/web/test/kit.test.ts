import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium, type Page } from 'playwright-core';
import { preview } from 'vite';
import { afterAll, describe, expect, it } from 'vitest';
import { buildKit } from '../../../tools/demo/build-web.ts';
import { findFreePort } from '../../../tools/services/port.ts';
import { sample } from '../../../tools/test-size.ts';
import { compareScreenshot } from './compare-screenshot.ts';
import { untilStill } from './settle.ts';

const WEB = join(import.meta.dirname, '..');
/** The clock is fixed, so that ages in stories do not depend on when they are shown. */
const NOW = new Date('2026-10-14T13:37:00Z');
/** A page of small parts: a part that changed is a small share of it. */
const SHARE_MAX = 0.0005;

const STATE_COMPONENTS = [
  'ArtifactVerdict',
  'ChangeState',
  'DayStrip',
  'DeliveryState',
  'EnvironmentState',
  'HeatMap',
  'MatrixTable',
  'MetroLine',
  'PolicyChips',
  'SnapshotVerdict',
  'StateBar',
  'TimelineLegend',
  'TrailState',
  'WaiverStateBadge',
];

const OVERLAYS = ['Open dialog', 'Open drawer', 'Open menu', 'Ask, refused', 'Open overlay'];

buildKit();
const server = await preview({
  root: WEB,
  configFile: join(WEB, 'kit/vite.config.ts'),
  preview: { port: await findFreePort(), strictPort: true },
  logLevel: 'silent',
});
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
afterAll(async () => {
  await browser.close();
  await server.close();
});
const url = new URL('/_/kit/', server.resolvedUrls?.local[0]).href;

const troubles: string[] = [];
const context = await browser.newContext({
  timezoneId: 'UTC',
  reducedMotion: 'reduce',
  viewport: { width: 1440, height: 900 },
});
const page = await context.newPage();
page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()));
page.on('pageerror', (error) => troubles.push(error.message));
await page.clock.setFixedTime(NOW);
await page.goto(url);
await page.getByRole('heading', { name: 'Kit', level: 1 }).waitFor();

async function faultsOf(shown: Page) {
  const { violations } = await new AxeBuilder({ page: shown }).setLegacyMode().analyze();
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return grave.map(({ id, help, nodes }) => ({ id, help, where: nodes.map(({ target }) => target.join(' ')) }));
}

it('shows every component of the kit, and those of states', async () => {
  const files = globSync('src/ui/*.tsx', { cwd: WEB }).map((file) => basename(file, '.tsx'));
  const shown = await page
    .locator('[data-story]')
    .evaluateAll((stories) => stories.map((story) => story.getAttribute('data-story') ?? ''));
  expect(shown.toSorted()).toEqual([...files, ...STATE_COMPONENTS].toSorted());
});

/** The word of each badge of a state, and its colors. */
const BADGES = `[...document.querySelectorAll('[data-group=States] span.rounded-full.font-medium')].map((badge) => {
  const { color, backgroundColor } = getComputedStyle(badge);
  return [badge.textContent, color + ' on ' + backgroundColor];
})`;

it('gives each state one word and one color, and a stale failure stays red', async () => {
  const badges = (await page.evaluate(BADGES)) as [string, string][];
  const byWord = Map.groupBy(badges, ([word]) => word);
  for (const word of ['Non-compliant', 'Unknown', 'Waived', 'Compliant']) {
    const found = byWord.get(word) ?? [];
    expect(found.length, word).toBeGreaterThan(3);
    expect(new Set(found.map(([, colors]) => colors)).size, word).toBe(1);
  }
  const stale = page.locator('[data-story=EnvironmentState] dd', { hasText: 'stale' });
  expect(await stale.first().textContent()).toMatch(/^Non-compliant\s*stale 3 h/);
});

describe.each(['light', 'dark'] as const)('in the %s theme', (colorScheme) => {
  it('is accessible', async () => {
    await page.emulateMedia({ colorScheme });
    await untilStill(page);
    expect(await faultsOf(page)).toEqual([]);
  });

  it.each(sample(OVERLAYS, colorScheme === 'light' ? 2 : OVERLAYS.length))('is accessible after %s', async (label) => {
    // Wide screens have no menu.
    await page.reload();
    await page.setViewportSize({ width: label === 'Open menu' ? 600 : 1440, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.getByRole('button', { name: label, exact: true }).click();
    await page.getByRole('dialog').waitFor();
    await untilStill(page);
    expect(await faultsOf(page)).toEqual([]);
  });

  it.each(['States', 'Controls'])('%s match their screenshot', async (group) => {
    await page.reload();
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.getByRole('heading', { name: 'Kit', level: 1 }).waitFor();
    // Lines in place of what loads appear after a moment.
    await page.locator('.animate-pulse').first().waitFor();
    await untilStill(page);
    await page.evaluate('document.fonts.ready');
    const taken = await page.locator(`[data-group=${group}]`).screenshot({ animations: 'disabled', caret: 'hide' });
    const name = `kit-${group.toLowerCase()}-${colorScheme}`;
    expect(compareScreenshot(name, taken, SHARE_MAX)).toEqual({ same: true, why: '' });
  });
});

it('logs no error', () => expect(troubles).toEqual([]));

it('is in no file of the application as shipped', () => {
  const built = globSync('dist/**/*.{js,html,css}', { cwd: WEB, exclude: ['dist/help/**'] });
  // The manifest names what the files were made from.
  const files = [...built, 'dist/.vite/manifest.json'];
  const marked = files.filter((file) =>
    /data-story|kit\/stories|kit\/main/.test(readFileSync(join(WEB, file), 'utf8')),
  );
  expect(marked).toEqual([]);
});
