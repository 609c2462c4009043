import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { outputFormats } from '../../apps/cli/src/run/settings.ts';
import { cliPage } from './cli-page.ts';

it('docs/cli.md is the page that the program gives', async () => {
  const file = join(import.meta.dirname, '../../docs/cli.md');
  expect(readFileSync(file, 'utf8'), 'run `pnpm generate`').toBe(await cliPage());
});

it('every link within the page leads somewhere', async () => {
  const page = await cliPage();
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^a-z0-9 _-]/g, '')
      .replaceAll(' ', '-'),
  );
  for (const [, target] of page.matchAll(/\]\(#([^)]+)\)/g)) expect(headings).toContain(target);
});

it('every format is described', async () => {
  const page = await cliPage();
  for (const format of outputFormats) expect(page).toContain(`\`-o ${format}\``);
});
