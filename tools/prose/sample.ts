import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Prose, stringsIn } from './strings.ts';

/**
 * Prints sentences of screens, the command line and documents, for a reader who checks them. The seed decides which.
 *
 *   node tools/prose/sample.ts SEED [COUNT]
 */

const ROOT = join(import.meta.dirname, '../..');
const MIN_WORDS = 5;

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const filesOf = (pattern: string) =>
  globSync(pattern, { cwd: ROOT, exclude: ['**/*.test.*', 'docs/adr/**', 'docs/site/**'] }).toSorted();
const isSentence = ({ text }: Prose) =>
  text.split(' ').length >= MIN_WORDS && !/[<>{}]|^[a-z-]+ --|^\W|\b(?:px|py|bg|text|h|w)-/.test(text);

/** Returns the sentences of a document, without its code, tables, headings and lists of links. */
function sentencesOf(file: string): Prose[] {
  const prose = read(file)
    .replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/[^\n]/g, ''))
    .split('\n')
    .map((line) => (/^(?:[|#<]|\s*- \[)/.test(line) ? '' : line))
    .join('\n');
  return prose.split(/\n\s*\n/).flatMap((paragraph) => {
    const text = paragraph.replace(/\s+/g, ' ').trim();
    const line = prose.slice(0, prose.indexOf(paragraph)).split('\n').length;
    return text.split(/(?<=[.!?]) (?=[A-Z`[])/).map((sentence) => ({ file, line, text: sentence }));
  });
}

const KINDS: Readonly<Record<string, () => Prose[]>> = {
  screens: () => filesOf('apps/web/src/**/*.{ts,tsx}').flatMap((file) => stringsIn(file, read(file))),
  'command line': () => filesOf('apps/cli/src/**/*.ts').flatMap((file) => stringsIn(file, read(file))),
  documents: () => filesOf('{README,CONTRIBUTING,SECURITY}.md').concat(filesOf('docs/**/*.md')).flatMap(sentencesOf),
};

const [seed, count = '40'] = process.argv.slice(2);
if (seed === undefined) throw new Error('usage: node tools/prose/sample.ts SEED [COUNT]');
for (const [kind, all] of Object.entries(KINDS)) {
  const rank = ({ file, text }: Prose) => createHash('sha256').update(`${seed} ${file} ${text}`).digest('hex');
  const drawn = all()
    .filter(isSentence)
    .map((prose) => ({ ...prose, rank: rank(prose) }));
  process.stdout.write(`\n${kind}, seed ${seed}: ${count} of ${drawn.length}\n`);
  for (const { file, line, text } of drawn.toSorted((a, b) => a.rank.localeCompare(b.rank)).slice(0, Number(count))) {
    process.stdout.write(`${file}:${line}: ${text}\n`);
  }
}
