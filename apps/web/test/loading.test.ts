import { expect, it } from 'vitest';
import { sample } from '../../../tools/test-size.ts';
import { loadSlowly } from './loading.ts';
import { routesOf } from './routes.ts';
import { settle } from './settle.ts';
import { openStage } from './stage.ts';

const SHIFT_MAX = 0.05;
/**
 * How often in a row responses are waited for. The evidence chain of a trail needs one more: what its artifacts lack is
 * known only after where they run.
 */
const WAVES_MAX: Readonly<Record<string, number>> = {
  home: 2,
  environments: 2,
  'environment now': 2,
  trail: 3,
  'why of an environment': 2,
};

const stage = await openStage();
const routes = Object.entries(routesOf(stage.org));
const limited = routes.filter(([name]) => name in WAVES_MAX);
const others = routes.filter(([name]) => !(name in WAVES_MAX));

it.each([...limited, ...sample(others, 12)])('%s does not move while it loads', async (name, path) => {
  const { page } = await stage.open('ada', { viewport: { width: 1440, height: 900 } });
  // The tab knows who is signed in.
  await page.goto(`/${stage.org.name}/no/such/page`);
  await settle(page);
  const { shift, moved, waves } = await loadSlowly(page, path);
  expect(shift, moved.join('\n')).toBeLessThanOrEqual(SHIFT_MAX);
  const counts = waves.map((wave) => wave.join(' ')).join('\n');
  expect(waves.length, counts).toBeLessThanOrEqual(WAVES_MAX[name] ?? Number.POSITIVE_INFINITY);
  expect(waves.length, counts).toBeGreaterThan(0);
});
