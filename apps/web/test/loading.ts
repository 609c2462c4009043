import type { Page, Request, Route } from 'playwright-core';
import { vi } from 'vitest';

/** How many times slower than this machine the page runs. */
const SLOWDOWN = 4;
/** How many checks in a row have to find nothing new. */
const QUIET_CHECKS = 3;

interface Loading {
  /** The sum of all layout shifts. */
  readonly shift: number;
  /** What moved, the largest part first. */
  readonly moved: readonly string[];
  /** The operations of each wave: those of the second were requested only after a response of the first. */
  readonly waves: readonly (readonly string[])[];
}

const OBSERVE = `
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources, hadRecentInput } of list.getEntries())
      if (!hadRecentInput)
        globalThis.shifts.push({ value, moved: sources.map(({ node, previousRect: from, currentRect: to }) =>
          \`\${node?.nodeName} '\${(node?.textContent ?? '').slice(0, 40)}' \${from.y}+\${from.height} to \${to.y}+\${to.height}\`) });
  }).observe({ type: 'layout-shift', buffered: true });
`;

const FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
const IDLE = 'new Promise((done) => requestIdleCallback(done))';

/**
 * Loads a page as slowly as possible, which does not depend on the machine: responses wait until the page requests
 * nothing more, then arrive one after another, each after the one before was painted. So every state in between is seen.
 */
export async function loadSlowly(page: Page, path: string): Promise<Loading> {
  const held: Route[] = [];
  let assets = 0;
  let seen = 0;
  const isAsset = (url: string) => !new URL(url).pathname.includes('/api/');
  page.on('request', (request) => {
    seen += 1;
    if (isAsset(request.url())) assets += 1;
  });
  const end = (request: Request) => {
    if (isAsset(request.url())) assets -= 1;
  };
  page.on('requestfinished', end).on('requestfailed', end);
  await page.route('**/api/v2/**', (route) => {
    // Live events arrive for as long as the page is open: they stay unanswered.
    if (!route.request().url().includes('/api/v2/events/')) held.push(route);
  });
  await page.addInitScript(OBSERVE);
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  // Parts wait for those above them for a few seconds, which must not pass here.
  await devTools.send('Animation.enable');
  await devTools.send('Animation.setPlaybackRate', { playbackRate: 0 });
  await page.goto(path);

  const untilQuiet = () => {
    let checks = 0;
    let before = -1;
    return vi.waitUntil(
      async () => {
        await page.evaluate(IDLE);
        checks = assets === 0 && seen === before ? checks + 1 : 0;
        before = seen;
        return checks >= QUIET_CHECKS;
      },
      { timeout: 120_000, interval: 100 },
    );
  };
  const waves: string[][] = [];
  for (;;) {
    await untilQuiet();
    const wave = held.splice(0);
    if (wave.length === 0) break;
    waves.push(wave.map((route) => new URL(route.request().url()).pathname));
    for (const route of wave) {
      // A page may have stopped waiting for it.
      const response = await route.fetch().catch(() => undefined);
      if (response) await route.fulfill({ response }).catch(() => undefined);
      await page.evaluate(FRAMES);
    }
  }
  const shifts = await page.evaluate<{ value: number; moved: string[] }[]>('globalThis.shifts');
  return {
    shift: shifts.reduce((sum, { value }) => sum + value, 0),
    moved: shifts
      .toSorted((one, other) => other.value - one.value)
      .map(({ value, moved }) => `${value.toFixed(3)}: ${moved.join('; ')}`),
    waves,
  };
}
