import { expect, it } from 'vitest';
import { sample } from '../../../tools/test-size.ts';
import { routesOf } from './routes.ts';
import { settle } from './settle.ts';
import { openStage } from './stage.ts';

/** The width of A4 between the margins, in CSS pixels. */
const REPORT = { width: 688, height: 1000 };

const stage = await openStage();
const { page } = await stage.open('ada', { viewport: REPORT });

/** Content that would have to be scrolled to, which paper cannot. */
const CUT_OFF = `[document.documentElement, ...document.querySelectorAll('main *')]
  .filter((element) => element === document.documentElement || /auto|scroll/.test(getComputedStyle(element).overflowX))
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
  .map((element) => element.tagName + ' ' + element.className + ': ' + element.scrollWidth + ' > ' + element.clientWidth)`;

it.each(sample(Object.entries(routesOf(stage.org)), 5))(
  '%s prints everything that is on the screen',
  async (_, path) => {
    await page.emulateMedia({ media: 'screen' });
    await page.goto(path);
    await settle(page);
    await page.emulateMedia({ media: 'print' });
    expect(await page.evaluate(CUT_OFF)).toEqual([]);
    expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0);
  },
);
