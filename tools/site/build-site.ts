import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { summaryOf } from '../../docs/.vitepress/pages.ts';
import { SECTIONS } from '../../docs/.vitepress/sections.ts';
import { dataDir } from '../services/endpoints.ts';

/**
 * Builds the documentation site from `docs/`. The server serves it at `/help/`, and any web server could.
 *
 *   node tools/site/build-site.ts [--afresh] [OUT]
 */

const ROOT = join(import.meta.dirname, '../..');
const BUILT = join(dataDir, 'site');

/** Builds it once for as long as nothing in it changes: it takes a quarter of a minute. */
export function buildSite(out: string): void {
  const built = join(BUILT, digestOfSources());
  if (!existsSync(built)) {
    rmSync(BUILT, { recursive: true, force: true });
    mkdirSync(BUILT, { recursive: true });
    const work = mkdtempSync(join(BUILT, 'building-'));
    writeSite(work);
    renameSync(work, built);
  }
  rmSync(out, { recursive: true, force: true });
  cpSync(built, out, { recursive: true });
}

function writeSite(out: string): void {
  runVitepress(out);
  writeFileSync(join(out, 'llms.txt'), indexForModels());
}

function runVitepress(out: string): void {
  const program = join(ROOT, 'node_modules/.bin/vitepress');
  const { status, stdout, stderr } = spawnSync(program, ['build', 'docs', '--outDir', out], {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: 'production' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the documentation could not be built:\n${stdout}\n${stderr}`);
}

/** Of the pages and their settings, the version in their links, and the generator. */
function digestOfSources(): string {
  const pages = globSync('docs/**/*', { cwd: ROOT, withFileTypes: true, exclude: ['docs/.vitepress/.temp'] });
  const files = [...pages, ...globSync('docs/.vitepress/**/*.{ts,css}', { cwd: ROOT, withFileTypes: true })]
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const hash = createHash('sha256');
  for (const file of [...new Set(files), join(ROOT, 'package.json'), join(ROOT, 'pnpm-lock.yaml')].toSorted()) {
    hash
      .update(`${relative(ROOT, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 32);
}

/** The list of pages for language models, in the format of llmstxt.org. */
function indexForModels(): string {
  const sections = SECTIONS.map(({ title, pages }) => {
    const lines = pages.map((page) => {
      const { title: name, opening } = summaryOf(page);
      return `- [${name}](/help/${page}.html): ${opening}`;
    });
    return [`## ${title}`, '', ...lines, ''].join('\n');
  });
  const about =
    'Waymark records how software is built, tested, approved and deployed, and judges what runs against policies.';
  return [`# Waymark`, '', `> ${about}`, '', ...sections].join('\n');
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({ options: { afresh: { type: 'boolean' } }, allowPositionals: true });
  const out = resolve(positionals[0] ?? join(ROOT, 'apps/web/dist/help'));
  if (values.afresh) writeSite(out);
  else buildSite(out);
}
