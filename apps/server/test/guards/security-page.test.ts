import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const DOCS = join(import.meta.dirname, '../../../../docs');

/** The tests that the page names: a title, and the file it should be in. */
function namedTests(page: string): { title: string; file: string }[] {
  return Array.from(page.matchAll(/\[([^\]]+)\]\((\.\.\/[^)]+\.test\.ts)\)/g), ([, title = '', file = '']) => ({
    title,
    file,
  }));
}

async function missing(page: string): Promise<string[]> {
  const found = await Promise.all(
    namedTests(page).map(async ({ title, file }) => {
      const text = await readFile(join(DOCS, file), 'utf8').catch(() => '');
      return [`'${title}'`, `"${title}"`].some((quoted) => text.includes(quoted)) ? [] : [`${title} (${file})`];
    }),
  );
  return found.flat();
}

it('every test that docs/security.md names is there', async () => {
  const page = await readFile(join(DOCS, 'security.md'), 'utf8');
  expect(await missing(page)).toEqual([]);
  expect(namedTests(page).length).toBeGreaterThan(60);
});

it('a test that is not there is noticed', async () => {
  const file = '../apps/server/test/guards/security-page.test.ts';
  expect(await missing(`[a test that is not there is noticed](${file}) [no such title](${file})`)).toEqual([
    `no such title (${file})`,
  ]);
  expect(await missing('[title](../no-such.test.ts)')).toHaveLength(1);
});
