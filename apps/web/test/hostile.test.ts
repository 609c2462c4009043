import { afterAll, describe, expect, it } from 'vitest';
import { sample } from '../../../tools/test-size.ts';
import { givenDemo } from '../../server/test/given/demo.ts';
import { routesOf } from './routes.ts';
import { settle } from './settle.ts';
import { openStage } from './stage.ts';

const demo = await givenDemo({ hostile: true });
afterAll(() => demo.drop());
/** An org without single sign-on responds with 404, which browsers log. */
const NOT_CONFIGURED = /404.*\/(sso|scim)$/;

const stage = await openStage({ demo });
const { page, troubles } = await stage.open('ada');
const dialogs: string[] = [];
page.on('dialog', (dialog) => {
  dialogs.push(dialog.message());
  void dialog.dismiss();
});

/** What the browser made of untrusted texts. As source text, because these tests have no types of the DOM. */
const MADE_OF_TEXTS = `({
  images: [...document.querySelectorAll('img')].map(({ src }) => src),
  scripts: [...document.querySelectorAll('script')].map(({ src }) => src).filter((src) => !src.includes('/assets/')),
  handlers: [...document.querySelectorAll('*')].filter((element) =>
    element.getAttributeNames().some((name) => name.startsWith('on'))).length,
  schemes: [...document.querySelectorAll('a')].map(({ protocol }) => protocol).filter((each) => !/^https?:$/.test(each)),
})`;

describe('untrusted texts', () => {
  it.each(sample(Object.entries(routesOf(stage.org)), 4))('stay text on: %s', async (_, path) => {
    await page.goto(path);
    await settle(page);
    expect(await page.evaluate(MADE_OF_TEXTS)).toEqual({ images: [], scripts: [], handlers: 0, schemes: [] });
    expect(dialogs).toEqual([]);
  });

  it('are shown', async () => {
    await page.goto(`/${stage.org.name}/environments`);
    await settle(page);
    expect(await page.getByRole('main').textContent()).toContain('<');
  });

  it('broke no page, and nothing had to be refused', () =>
    expect(troubles.filter((text) => !NOT_CONFIGURED.test(text))).toEqual([]));
});
