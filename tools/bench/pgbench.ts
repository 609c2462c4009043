import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logged } from './capture.ts';
import { run } from './installation.ts';

/**
 * The values that must differ between transactions: the captured value to an expression that makes new ones. It may
 * also be part of a captured value, as an id is part of a JSON text.
 */
export type Fresh = ReadonlyMap<string, string>;

/** For a request whose later statements depend on the results of earlier ones, by the name of a statement. */
export interface Steps {
  /** Captured values that are replaced in that statement only, and only as a whole. */
  readonly swaps: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The end of the statement: which results are stored, and what is computed from them. */
  readonly endings: Readonly<Record<string, string>>;
}

/** Turns captured statements into a pgbench script that sends the same texts with parameters, prepared. */
export function pgbenchScript(
  statements: readonly Logged[],
  fresh: Fresh,
  steps: Steps = { swaps: {}, endings: {} },
): { file: string; variables: string[] } {
  const variables: string[] = [];
  const lines = statements.map(({ name, text, values }, s) => {
    const types = typesOf(text);
    return text.replaceAll('\n', ' ').replace(/\$(\d+)(::)?/g, (_, number: string, cast = '') => {
      const value = values[Number(number) - 1];
      if (value === null || value === undefined) return `null${cast}`;
      const type = cast || (types.get(number) ?? '');
      const expression = steps.swaps[name]?.[value] ?? fresh.get(value);
      if (expression) return `(${expression})${type}`;
      const variable = `s${s}p${number}`;
      if (!variables.some((set) => set.startsWith(`${variable}=`))) variables.push(`${variable}=${value}`);
      const sent = [...fresh].reduce(
        (sent, [part, made]) => (value.includes(part) ? `replace(${sent}, '${part}', (${made})::text)` : sent),
        `:${variable}`,
      );
      return `${sent}${type}`;
    });
  });
  const file = join(mkdtempSync(join(tmpdir(), 'waymark-bench-')), 'script.sql');
  const ended = lines.map((line, s) => `${line}${steps.endings[statements[s]?.name ?? ''] ?? ';'}`);
  writeFileSync(file, `\\set n random(1, 9000000000000)\n${ended.join('\n')}\n`);
  return { file, variables };
}

/** pgbench numbers every occurrence of a parameter, so a type cast on one of them is added to all. */
function typesOf(text: string): Map<string, string> {
  return new Map([...text.matchAll(/\$(\d+)(::\w+(?:\[\])?)/g)].map(([, number = '', type = '']) => [number, type]));
}

export function runPgbench(
  url: string,
  script: ReturnType<typeof pgbenchScript>,
  clients: number,
  seconds: number,
): number {
  const bindir = run('pg_config', ['--bindir']);
  const output = run(join(bindir, 'pgbench'), [
    '--no-vacuum',
    '--protocol=prepared',
    `--client=${clients}`,
    '--jobs=2',
    `--time=${seconds}`,
    `--file=${script.file}`,
    ...script.variables.flatMap((variable) => ['--define', variable]),
    url,
  ]);
  return Number(/tps = ([\d.]+) \(without initial/.exec(output)?.[1]);
}
