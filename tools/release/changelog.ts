import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';
import { isVersion } from './versions.ts';

/**
 * Adds the entry of a version to CHANGELOG.md, from the subjects of the commits since the last tag. Edit it afterwards:
 * a subject is written for developers, and an entry for users.
 *
 *   node tools/release/changelog.ts 1.2.3
 */

const ROOT = join(import.meta.dirname, '../..');
const FILE = join(ROOT, 'CHANGELOG.md');

/** Headings with the scopes of commits below them. Every other scope is a feature of the server. */
const HEADINGS: Readonly<Record<string, readonly string[]>> = {
  Server: ['server'],
  'Web application': ['web'],
  'Command line': ['cli', 'integrations', 'github', 'gitlab'],
  'API and client': ['contract', 'client', 'http'],
  Installation: ['image', 'images', 'deploy', 'chart', 'compose', 'debian', 'release'],
};
/** What users do not notice. */
const INTERNAL = ['tests', 'tools', 'docs', 'words', 'bench', 'ci', 'demo', 'hostile', 'check'];

/** Returns the entry of a version, in Markdown. */
export function changelogEntry(version: string, subjects: readonly string[]): string {
  const lines = new Map<string, string[]>(Object.keys(HEADINGS).map((heading) => [heading, []]));
  for (const subject of subjects) {
    const [, scopes = '', text = ''] = /^([\w, -]+): (.+)$/.exec(subject) ?? [];
    const visible = scopes.split(', ').filter((scope) => scope !== '' && !INTERNAL.includes(scope));
    const [scope] = visible;
    if (scope !== undefined) lines.get(headingOf(scope))?.push(`- ${capitalized(text)}`);
  }
  const sections = [...lines].filter(([, found]) => found.length > 0);
  const body = sections.map(([heading, found]) => `### ${heading}\n\n${found.join('\n')}\n`);
  return [`## ${version}\n`, ...(body.length > 0 ? body : ['No changes that users notice.\n'])].join('\n');
}

function headingOf(scope: string): string {
  return Object.entries(HEADINGS).find(([, scopes]) => scopes.includes(scope))?.[0] ?? 'Server';
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Puts an entry before all others. Refuses a version that has one. */
export function addEntry(changelog: string, entry: string): string {
  const [heading = ''] = entry.split('\n');
  if (changelog.split('\n').includes(heading)) throw new Error(`CHANGELOG.md has an entry "${heading}" already`);
  const first = changelog.search(/^## /m);
  if (first === -1) return `${changelog.trimEnd()}\n\n${entry}`;
  return `${changelog.slice(0, first)}${entry}\n${changelog.slice(first)}`;
}

/** Returns what the changelog has about a version, without its heading. */
export function notesOf(changelog: string, version: string): string {
  const entries = changelog.split(/^## /m).slice(1);
  const entry = entries.find((text) => text.split('\n', 1)[0] === version);
  if (entry === undefined) throw new Error(`CHANGELOG.md has no entry for ${version}`);
  return `${entry.slice(version.length).trim()}\n`;
}

/** Merge commits repeat what they merge. */
function subjectsSince(tag: string | undefined): string[] {
  const range = tag === undefined ? 'HEAD' : `${tag}..HEAD`;
  return lines(runProgram('git', ['-C', ROOT, 'log', '--no-merges', '--format=%s', range]));
}

function lastTag(): string | undefined {
  return lines(runProgram('git', ['-C', ROOT, 'tag', '--merged', 'HEAD', '--list', 'v*', '--sort=-creatordate']))[0];
}

function lines(output: Buffer): string[] {
  return output.toString().split('\n').filter(Boolean);
}

if (import.meta.main) {
  const [version = ''] = process.argv.slice(2);
  if (!isVersion(version)) throw new Error('node tools/release/changelog.ts 1.2.3');
  const entry = changelogEntry(version, subjectsSince(lastTag()));
  writeFileSync(FILE, addEntry(readFileSync(FILE, 'utf8'), entry));
  process.stdout.write(entry);
}
