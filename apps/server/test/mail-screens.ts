import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openBrowser } from './browser.ts';

const SCREENS = [390, 1440].flatMap((width) => (['light', 'dark'] as const).map((scheme) => [width, scheme] as const));

const INSPECTION = `({
  title: document.title,
  scripts: document.scripts.length,
  media: document.querySelectorAll('img, iframe, object, link, form').length,
  isTooWide: document.documentElement.scrollWidth > innerWidth,
  links: [...new Set([...document.links].map((link) => link.origin))],
})`;

/** The directory for screenshots, if somebody wants them. */
const shots = process.env['WAYMARK_SHOTS'];

/**
 * Chromium on several kinds of screens. The returned function shows a mail on each, and checks that it does nothing
 * else.
 */
export async function openMailScreens(): Promise<(html: string, name: string) => Promise<void>> {
  const browser = await openBrowser();
  const did: string[] = [];
  const pages = await Promise.all(
    SCREENS.map(async ([width, colorScheme]) => {
      const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
      await page.route('**/*', (route) => {
        did.push(`asked for ${route.request().url()}`);
        return route.abort();
      });
      page.on('dialog', (dialog) => {
        did.push('opened a dialog');
        void dialog.dismiss();
      });
      return { page, screen: `${width}-${colorScheme}` };
    }),
  );
  return async (html, name) => {
    for (const { page, screen } of pages) {
      await page.setContent(html);
      expect(await page.evaluate(INSPECTION)).toEqual({
        title: expect.not.stringMatching(/^(run|1)$/),
        scripts: 0,
        media: 0,
        isTooWide: false,
        links: ['https://waymark.test'],
      });
      if (shots === undefined) continue;
      await mkdir(shots, { recursive: true });
      await page.screenshot({ path: join(shots, `${name}-${screen}.png`), fullPage: true });
    }
    expect(did).toEqual([]);
  };
}
