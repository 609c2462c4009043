import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { posix } from 'node:path';
import { isPattern, segmentPattern } from './segment-pattern.ts';

// Two clients must agree on a fingerprint whatever the patterns are, so these are read as filepathx for Go reads them,
// with its surprises. "**" is every path below what is left of it; the text on its right is appended to that path, and
// the whole is a pattern again. So "**/dist" leaves out what is in a "dist" at the top and keeps its name, while "dist"
// and "**/dist*" keep neither, and "**/*.js" finds nothing in a directory named "[id]".

/** Returns the paths below `root` that match the patterns. `root` itself, empty for "/", is never part of a pattern. */
export async function excludedPaths(root: string, patterns: readonly string[]): Promise<ReadonlySet<string>> {
  const excluded = new Set<string>();
  for (const pattern of patterns) {
    for (const path of await expand(root, pattern)) excluded.add(root + path);
  }
  return excluded;
}

async function expand(root: string, pattern: string): Promise<Iterable<string>> {
  const [first = '', ...rest] = `/${posix.normalize(pattern).replace(/^\/|\/$/g, '')}`.split('**');
  if ([first, ...rest].some((piece) => piece.split('/').some((segment) => segmentPattern(segment) === undefined))) {
    throw new Error(`The exclude pattern "${pattern}" has a "[" or "\\" that nothing closes`);
  }
  let found = await matches(root, first);
  if (rest.length === 0) return found;
  let all = await withAllBelow(root, found);
  for (const piece of rest) {
    found = [];
    for (const [base, isFile] of all) {
      if (isFile && piece.startsWith('/') && !isPattern(base)) continue;
      for (const path of await matches(root, base + piece)) found.push(path);
    }
    all = await withAllBelow(root, found);
  }
  return all.keys();
}

async function matches(root: string, pattern: string): Promise<string[]> {
  if (!isPattern(pattern)) return (await exists(root + pattern)) ? [pattern] : [];
  if (pattern.endsWith('/')) return [];
  let found = ['/'];
  for (const segment of pattern.split('/').filter((name) => name !== '')) found = await entriesOf(root, found, segment);
  return found;
}

/** A file name may contain an unclosed "["; as a pattern it matches nothing. */
async function entriesOf(root: string, directories: readonly string[], segment: string): Promise<string[]> {
  const pattern = segmentPattern(segment);
  const found: string[] = [];
  for (const directory of directories) {
    for (const { name } of await listed(root + directory)) {
      if (pattern?.test(name)) found.push(posix.join(directory, name));
    }
  }
  return found;
}

/** The paths and all below them, each with whether it is known to be a file, which needs no search. */
async function withAllBelow(root: string, paths: readonly string[]): Promise<Map<string, boolean>> {
  const all = new Map<string, boolean>();
  for (const path of paths) {
    // A known path was added with everything below it.
    if (all.has(path)) continue;
    all.set(path, false);
    await addAllBelow(root, all, path);
  }
  return all;
}

/** Node's recursive readdir follows links, and never ends where they form a cycle. */
async function addAllBelow(root: string, all: Map<string, boolean>, directory: string): Promise<void> {
  for (const entry of await listed(root + directory)) {
    const path = posix.join(directory, entry.name);
    all.set(path, entry.isFile());
    if (entry.isDirectory()) await addAllBelow(root, all, path);
  }
}

/** Empty for an unreadable directory: the walk reports it if it has to read it. */
async function listed(directory: string): Promise<Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}
