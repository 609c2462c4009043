import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { SECTIONS } from '../../../docs/.vitepress/sections.ts';
import { buildSite } from '../../../tools/site/build-site.ts';
import { isFull, sample } from '../../../tools/test-size.ts';
import { untilStill } from './settle.ts';
import { openStage } from './stage.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SITE = join(ROOT, 'apps/web/dist/help');
/** Everything that a first visit loads, compressed. */
const MAX_BYTES = 300 * 1024;
const WIDE = { viewport: { width: 1440, height: 900 } };
/** Only root can start a program without a network. */
const isRoot = process.getuid?.() === 0;
/** The answer has to be among the first results. */
const MAX_HITS = 3;

buildSite(SITE);
const files = globSync('**/*.html', { cwd: SITE }).toSorted();
const pages = SECTIONS.flatMap((section) => section.pages);
const stage = await openStage();

it('every document is a page of one section', () => {
  const documents = globSync('**/*.md', { cwd: join(ROOT, 'docs'), exclude: ['adr/**', 'site/**', 'index.md'] });
  expect(pages.toSorted()).toEqual(documents.map((file) => file.replace(/\.md$/, '')).toSorted());
});

it('every link of the built site leads to a page and a heading of it', () => {
  const html = new Map(files.map((file) => [file, readFileSync(join(SITE, file), 'utf8')]));
  const dead = [...html].flatMap(([file, text]) =>
    [...text.matchAll(/<a [^>]*href="([^"]+)"/g)]
      .map(([, href = '']) => href.replaceAll('&amp;', '&'))
      .filter((href) => !/^[a-z]+:/.test(href) && !leads(html, file, href))
      .map((href) => `${file}: ${href}`),
  );
  expect(dead).toEqual([]);
});

function leads(html: ReadonlyMap<string, string>, from: string, href: string): boolean {
  const [path = '', anchor] = href.split('#');
  const inside = path.startsWith('/help/') ? path.slice('/help/'.length) : normalize(join(dirname(from), path));
  const target = path === '' ? from : inside === '' || inside.endsWith('/') ? `${inside}index.html` : inside;
  const text = html.get(target);
  if (text === undefined || anchor === undefined || anchor === '') return text !== undefined;
  return text.includes(`id="${decodeURIComponent(anchor)}"`);
}

// A second build takes a quarter of a minute, so the short form trusts that the first needed nothing from elsewhere.
it.skipIf(!isRoot || !isFull)('builds without a network, and the same files byte for byte', () => {
  const out = mkdtempSync(join(tmpdir(), 'waymark-site-'));
  try {
    const program = join(ROOT, 'tools/site/build-site.ts');
    const { status, stderr } = spawnSync('unshare', ['--net', process.execPath, program, '--afresh', out], {
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    expect(contentsOf(out)).toEqual(contentsOf(SITE));
  } finally {
    rmSync(out, { recursive: true });
  }
});

function contentsOf(directory: string): Record<string, string> {
  const paths = globSync('**/*', { cwd: directory, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(
    paths.map((path) => [relative(directory, path), createHash('sha256').update(readFileSync(path)).digest('hex')]),
  );
}

it('the index for language models names every page', () => {
  const index = readFileSync(join(SITE, 'llms.txt'), 'utf8');
  expect(pages.filter((page) => !index.includes(`(/help/${page}.html): `))).toEqual([]);
});

it.each(['index', ...pages])('%s is small', (name) => {
  const text = readFileSync(join(SITE, `${name}.html`), 'utf8');
  const loaded = [...text.matchAll(/(?:href|src)="\/help\/(assets\/[^"]+|[\w-]+\.css)"/g)].map(([, file = '']) => file);
  expect(loaded.length).toBeGreaterThan(3);
  const bytes = [`${name}.html`, ...new Set(loaded)].map((file) => gzipSync(readFileSync(join(SITE, file))).length);
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(MAX_BYTES);
});

describe('in a browser', async () => {
  const { page, troubles } = await stage.open(undefined, WIDE);

  it.each(sample(['index', ...pages], 6))('%s is accessible in both themes', async (name) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto(`/help/${name}.html`);
      await page.getByRole('switch', { name: /theme/ }).first().waitFor();
      await untilStill(page);
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
      const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      const found = grave.map(({ id, nodes }) => ({ id, where: nodes.map(({ target }) => target.join(' ')) }));
      expect(found, colorScheme).toEqual([]);
    }
  });

  it('the content security policy refused nothing, and nothing broke', () => expect(troubles).toEqual([]));
});

it('every page can be read without scripts', async () => {
  const { page } = await stage.open(undefined, { javaScriptEnabled: false });
  for (const name of pages) {
    await page.goto(`/help/${name}.html`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect((await page.getByRole('main').textContent())?.length, name).toBeGreaterThan(300);
  }
});

it('diagrams are drawn without scripts and have a title to be read aloud', async () => {
  const { page } = await stage.open(undefined, { javaScriptEnabled: false });
  await page.goto('/help/concepts/snapshots.html');
  const diagram = page.getByRole('img', { name: /^Waymark records a snapshot when/ });
  await diagram.getByText('New snapshot').waitFor();
});

const Questions = z.array(z.object({ question: z.string(), answers: z.array(z.string()) }));
const questions = Questions.parse(parse(readFileSync(join(ROOT, 'docs/site/questions.yaml'), 'utf8')));

describe('the search', async () => {
  const { page, troubles } = await stage.open(undefined, WIDE);
  await openSearch(page);

  it.each(questions)('answers: $question', async ({ question, answers }) => {
    const hits = await search(page, question);
    expect(hits.filter((hit) => answers.some((answer) => hit.startsWith(`/help/${answer}`)))).not.toEqual([]);
  });

  it('needs nothing from elsewhere, and breaks nothing', () => expect(troubles).toEqual([]));
});

/** A click has no effect until the scripts of the page have started, which takes long on a busy machine. */
async function openSearch(page: Page): Promise<void> {
  await page.goto('/help/');
  const box = page.getByRole('searchbox');
  const button = page.getByRole('button', { name: 'Search' });
  for (let tries = 1; !(await box.isVisible()); tries++) {
    await button.click({ timeout: 5_000 }).catch(() => undefined);
    await box.waitFor({ timeout: 2_000 }).catch((error: unknown) => {
      if (tries === 60) throw error;
    });
  }
}

async function search(page: Page, question: string): Promise<string[]> {
  const box = page.getByRole('searchbox');
  await box.fill('');
  await page.getByRole('option').first().waitFor({ state: 'detached' });
  await box.fill(question);
  const results = page.getByRole('option').locator('a');
  await results.first().waitFor();
  const shown = await results.evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
  return shown.slice(0, MAX_HITS);
}
