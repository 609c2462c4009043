import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

/** In bytes, compressed. */
const SHELL = 200 * 1024;
/** Of a page, including shared chunks that may be cached already. */
const ROUTE = 80 * 1024;
/** Loaded after their pages are shown, and on no other page: the editor is the largest chunk. */
const ON_DEMAND: Readonly<Record<string, number>> = {
  'src/editor/': 200 * 1024,
  // A part of Home for new orgs, counted together with Home.
  'src/pages/home/sample/': 90 * 1024,
};

const DIST = join(import.meta.dirname, '../dist');
const Manifest = z.record(
  z.string(),
  z.object({
    file: z.string(),
    imports: z.array(z.string()).default([]),
    css: z.array(z.string()).default([]),
    isDynamicEntry: z.boolean().default(false),
  }),
);
const manifest = Manifest.parse(JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')));

function partsOf(entry: string, found = new Set<string>()): Set<string> {
  const part = manifest[entry];
  if (!part || found.has(entry)) return found;
  found.add(entry);
  for (const next of part.imports) partsOf(next, found);
  return found;
}

function bytesOf(entries: Iterable<string>): number {
  const files = new Set(
    [...entries].flatMap((entry) => [manifest[entry]?.file ?? '', ...(manifest[entry]?.css ?? [])]),
  );
  return [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(DIST, file)), { level: 9 }).length, 0);
}

const shell = partsOf('index.html');
const entries = Object.keys(manifest).filter((entry) => manifest[entry]?.isDynamicEntry);

describe('what a browser loads', () => {
  it(`is at most ${SHELL / 1024} KB for the shell`, () => expect(bytesOf(shell)).toBeLessThanOrEqual(SHELL));

  it.each(entries)('is within its budget for %s', (entry) => {
    const needed = [...partsOf(entry)].filter((part) => !shell.has(part));
    const [, onDemand] = Object.entries(ON_DEMAND).find(([place]) => entry.startsWith(place)) ?? [];
    expect(bytesOf(needed)).toBeLessThanOrEqual(onDemand ?? ROUTE);
  });
});
