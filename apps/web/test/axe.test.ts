import { AxeBuilder } from '@axe-core/playwright';
import { expect, it } from 'vitest';
import { sample } from '../../../tools/test-size.ts';
import { routesOf } from './routes.ts';
import { settle, untilStill } from './settle.ts';
import { openStage } from './stage.ts';

/** An org without single sign-on responds with 404, which browsers log. */
const NOT_CONFIGURED = /404.*\/(sso|scim)$/;

const stage = await openStage();
const routes = Object.entries(routesOf(stage.org));

const { page, troubles } = await stage.open('ada');

it.each(sample(routes, 8))('%s is accessible, in both themes', async (_, path) => {
  await page.goto(path);
  await settle(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await untilStill(page);
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
    const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(
      grave.map(({ id, help, nodes }) => ({ id, help, where: nodes.map(({ target }) => target.join(' ')) })),
      colorScheme,
    ).toEqual([]);
  }
});

it('the content security policy refused nothing, and nothing broke', () =>
  expect(troubles.filter((text) => !NOT_CONFIGURED.test(text))).toEqual([]));
