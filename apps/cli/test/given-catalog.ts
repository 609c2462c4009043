import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { allEntries } from '../src/catalog/catalog.ts';
import type { CatalogEntry } from '../src/catalog/catalog-entry.ts';
import { commandOf } from '../src/main.ts';
import type { CommandDefinition } from '../src/run/command.ts';
import { splitLine } from '../src/run/find-command.ts';

export interface Listed {
  readonly path: string;
  readonly entry: CatalogEntry;
  readonly definition: CommandDefinition;
  /** A fresh one: commander keeps state between parses. */
  readonly build: () => Command;
  /** The arguments of the first of its examples, as a shell would hand them over. */
  readonly line: readonly string[];
  /** Of every call of `waymark` in its examples. */
  readonly calls: readonly (readonly string[])[];
}

/** Every command there is, loaded. */
export async function everyCommand(): Promise<Listed[]> {
  const loaded = await Promise.all(
    allEntries.map(async (entry) => ({ entry, definition: (await entry.load()).command })),
  );
  const calls = callsIn(loaded.map(({ definition }) => definition.examples.map(({ run }) => run)));
  return loaded.map(({ entry, definition }, at) => {
    const own = (calls[at] ?? []).filter((line) => splitLine(allEntries, line).words.join(' ') === entry.path);
    return {
      path: entry.path,
      entry,
      definition,
      build: () => commandOf(entry, definition),
      line: own[0] ?? entry.path.split(' '),
      calls: calls[at] ?? [],
    };
  });
}

/** Parses the examples with bash; the only program on its path is a `waymark` that records its arguments. */
export function callsIn(examples: readonly (readonly string[])[]): string[][][] {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-examples-'));
  try {
    const file = join(directory, 'calls');
    writeFileSync(file, '');
    const script = examples.flatMap((lines, at) => lines.map((line) => guarded(line, at))).join('\n');
    for (const [, name = ''] of script.matchAll(/< *([\w./-]+)/g)) {
      if (!name.includes('/')) writeFileSync(join(directory, name), '');
    }
    execFileSync('/bin/bash', ['-c', `waymark() { printf '%s\\0' "$AT" "$#" "$@" >> '${file}'; }\n${script}`], {
      cwd: directory,
      env: { PATH: join(directory, 'nothing'), ...variablesIn(script) },
      stdio: 'ignore',
    });
    return grouped(readFileSync(file, 'utf8').split('\0'), examples.length);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const guarded = (line: string, at: number) => `( AT=${at}; ${line}\n) < /dev/null > /dev/null 2>&1 || true`;

function variablesIn(script: string): Record<string, string> {
  const names = [...script.matchAll(/\$\{?([A-Z][A-Z0-9_]*)/g)].map(([, name = '']) => name);
  return Object.fromEntries(names.filter((name) => name !== 'AT').map((name) => [name, 'some-value']));
}

function grouped(words: readonly string[], count: number): string[][][] {
  const calls: string[][][] = Array.from({ length: count }, () => []);
  for (let at = 0; at + 1 < words.length; ) {
    const end = at + 2 + Number(words[at + 1]);
    calls[Number(words[at])]?.push(words.slice(at + 2, end));
    at = end;
  }
  return calls;
}
