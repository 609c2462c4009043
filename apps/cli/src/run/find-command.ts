import { Option } from 'commander';
import type { CatalogEntry } from '../catalog/catalog-entry.ts';
import { usageError } from './cli-error.ts';
import { globalSettings } from './settings.ts';

export interface Asked {
  /** The words that name a command, or a group of them. */
  readonly words: readonly string[];
  /** The rest of the line, with the flags before the command. */
  readonly rest: readonly string[];
}

const TAKES_VALUE = new Set(
  Object.values(globalSettings)
    .map(({ flags }) => new Option(flags))
    .filter((option) => option.required)
    .flatMap(({ short, long }) => [short, long]),
);

/** Splits the line into the longest known command and the rest. Global flags may also come before it. */
export function splitLine(entries: readonly CatalogEntry[], line: readonly string[]): Asked {
  const flags: string[] = [];
  let at = 0;
  while (line[at]?.startsWith('-') && line[at] !== '--') {
    const flag = line[at] as string;
    flags.push(flag);
    at += 1;
    if (TAKES_VALUE.has(flag) && line[at] !== undefined) flags.push(line[at++] as string);
  }
  const words: string[] = [];
  while (at < line.length && isBeginning(entries, [...words, line[at] as string])) words.push(line[at++] as string);
  return { words, rest: [...flags, ...line.slice(at)] };
}

function isBeginning(entries: readonly CatalogEntry[], words: readonly string[]): boolean {
  const beginning = words.join(' ');
  return entries.some(({ path }) => path === beginning || path.startsWith(`${beginning} `));
}

/** The word in place of a command; not the value of a flag. */
export function strayWord(rest: readonly string[]): string | undefined {
  return rest.find((word, at) => !word.startsWith('-') && !TAKES_VALUE.has(rest[at - 1] ?? ''));
}

export function unknownCommand(entries: readonly CatalogEntry[], { words, rest }: Asked): Error {
  const wrong = strayWord(rest);
  const howTo = `Run '${['waymark', 'help', ...words].join(' ')}' to list the commands`;
  if (wrong === undefined) return usageError('Missing command', howTo);
  const asked = [...words, wrong].join(' ');
  const near = nearest(
    asked,
    entries.map(({ path }) => path),
  );
  return usageError(`Unknown command 'waymark ${asked}'`, near ? `Did you mean 'waymark ${near}'?` : howTo);
}

function nearest(asked: string, paths: readonly string[]): string | undefined {
  const words = asked.split(' ').length;
  const candidates = new Set(paths.flatMap((path) => [path, path.split(' ').slice(0, words).join(' ')]));
  const [best] = [...candidates]
    .map((path) => ({ path, steps: distance(asked, path) }))
    .filter(({ path, steps }) => steps <= Math.max(1, Math.floor(path.length / 4)))
    .toSorted((a, b) => a.steps - b.steps || a.path.length - b.path.length);
  return best?.path;
}

/** Insertions, deletions, replacements, and transpositions. */
export function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (rows[i - 1]?.[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (rows[i - 1]?.[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (rows[i - 2]?.[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
}
