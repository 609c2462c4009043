import { AxeBuilder } from '@axe-core/playwright';
import { describe, expect, it } from 'vitest';
import { routesOf } from './routes.ts';
import { settle } from './settle.ts';
import { openStage } from './stage.ts';

/** An org without single sign-on has none to show, and browsers tell of every 404. */
const NOT_CONFIGURED = /404.*\/(sso|scim)$/;

const stage = await openStage();
const routes = Object.entries(routesOf(stage.org));

describe.each(['light', 'dark'] as const)('in the %s theme', async (colorScheme) => {
  const { page, troubles } = await stage.open('ada', { colorScheme });

  it.each(routes)('%s can be used by everybody', async (_, path) => {
    await page.goto(path);
    await settle(page);
    const { violations } = await new AxeBuilder({ page }).analyze();
    const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(
      grave.map(({ id, help, nodes }) => ({ id, help, where: nodes.map(({ target }) => target.join(' ')) })),
    ).toEqual([]);
  });

  it('nothing was refused by the policy, and nothing broke', () =>
    expect(troubles.filter((text) => !NOT_CONFIGURED.test(text))).toEqual([]));
});
