import { globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, matchesGlob, relative, resolve } from 'node:path';
import { usageError } from '../run/cli-error.ts';
import type { Session } from '../run/session.ts';
import type { NamedFile } from './tgz.ts';

/** All of a directory. */
export const EVERYTHING = '**/*';

const MAX_FILES = 2_000;
const NOT_SEARCHED = new Set(['node_modules', '.git']);

/** Returns files, directories and patterns; of a directory, the matches of its pattern. Each once, ordered by name. */
export function findFiles(cwd: string, patterns: readonly string[], inDirectory: string): string[] {
  const found = new Set<string>();
  for (const pattern of patterns) {
    for (const path of filesOf(cwd, pattern, inDirectory)) found.add(path);
    if (found.size > MAX_FILES) {
      throw usageError(`'${pattern}' matches more than ${MAX_FILES} files`, 'Use a narrower pattern');
    }
  }
  return [...found].sort();
}

function filesOf(cwd: string, pattern: string, inDirectory: string): string[] {
  const about = statSync(resolve(cwd, pattern), { throwIfNoEntry: false });
  if (about?.isFile()) return [resolve(cwd, pattern)];
  if (about?.isDirectory()) return filesBelow(resolve(cwd, pattern), inDirectory);
  const [, directory] = WHOLE_DIRECTORY.exec(pattern) ?? [];
  if (directory !== undefined && isDirectory(resolve(cwd, directory))) {
    return filesBelow(resolve(cwd, directory), EVERYTHING);
  }
  return globSync(pattern, { cwd, exclude: (name) => NOT_SEARCHED.has(basename(name)) })
    .map((path) => resolve(cwd, path))
    .filter(isFile);
}

/** `reports/**` is the same as `reports`. */
const WHOLE_DIRECTORY = /^([^*?[\]{}()!]+)\/\*\*(?:\/\*)?$/;

/** Includes names that begin with a dot, which patterns skip: a failed report must not hide there. */
function filesBelow(directory: string, pattern: string): string[] {
  const found: string[] = [];
  const search = (place: string) => {
    const entries = readdirSync(place, { withFileTypes: true });
    const paths = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => join(place, name));
    found.push(...paths.filter((path) => matches(relative(directory, path), pattern) && isFile(path)));
    if (!pattern.startsWith('**')) return;
    for (const entry of entries.filter((one) => one.isDirectory() && !NOT_SEARCHED.has(one.name))) {
      if (found.length <= MAX_FILES) search(join(place, entry.name));
    }
  };
  search(directory);
  return found;
}

function matches(path: string, pattern: string): boolean {
  return matchesGlob(path.replace(/(^|[\\/])\./g, '$1_'), pattern);
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
const isDirectory = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Relative to the working directory. */
function shownPath(session: Session, path: string): string {
  const shown = relative(session.io.cwd, path);
  return shown.startsWith('..') ? path : shown;
}

export function readNamed(session: Session, path: string): NamedFile {
  return { name: shownPath(session, path), content: readFileSync(path) };
}

/** A file, or standard input for `-`. */
export async function readInput(session: Session, path: string): Promise<NamedFile> {
  if (path === '-') return { name: 'stdin', content: await session.io.stdin.bytes() };
  return readNamed(session, resolve(session.io.cwd, path));
}
