import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** Becomes docs/cli.md, and has its links. */
const TEMPLATE = 'tools/cli-reference/cli.md';

const documents = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter((path) => path !== TEMPLATE);

/** What a reader sees: examples may contain brackets that are no links. */
function proseOf(path: string): string {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return text
    .replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ' '));
}

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** GitHub numbers anchors that occur more than once. */
function anchorsIn(path: string): Set<string> {
  const text = readFileSync(join(ROOT, path), 'utf8').replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '');
  const counts = new Map<string, number>();
  const anchors = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));
  for (const [, heading = ''] of text.matchAll(/^#+ (.+)$/gm)) {
    const anchor = anchorOf(heading);
    const earlier = counts.get(anchor) ?? 0;
    counts.set(anchor, earlier + 1);
    anchors.add(earlier === 0 ? anchor : `${anchor}-${earlier}`);
  }
  return anchors;
}

function findFault(document: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? document : normalize(join(dirname(document), path));
  if (!existsSync(join(ROOT, target))) return `${document}: ${link} leads nowhere`;
  if (anchor === undefined || !target.endsWith('.md')) return undefined;
  return anchorsIn(target).has(anchor) ? undefined : `${document}: ${link} names no heading`;
}

it('every link between documents leads to a file, and to a heading in it', () => {
  const links = documents.flatMap((document) =>
    [...proseOf(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => ({ document, link })),
  );
  const own = links.filter(({ link }) => !/^(?:[a-z]+:|<)/.test(link));
  expect(own.length).toBeGreaterThan(300);
  expect(own.flatMap(({ document, link }) => findFault(document, link) ?? [])).toEqual([]);
});
