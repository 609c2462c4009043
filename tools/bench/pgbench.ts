import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logged } from './capture.ts';
import { run } from './installation.ts';

/**
 * What must differ from one transaction to the next: the captured value to an expression that makes new ones. It may
 * also be part of a captured value, as an id is part of a JSON text.
 */
export type Fresh = ReadonlyMap<string, string>;

/** Turns captured statements into a pgbench script that sends the same texts with parameters, prepared. */
export function pgbenchScript(statements: readonly Logged[], fresh: Fresh): { file: string; variables: string[] } {
  const variables: string[] = [];
  const lines = statements.map(({ text, values }, s) =>
    text.replaceAll('\n', ' ').replace(/\$(\d+)/g, (_, number: string) => {
      const value = values[Number(number) - 1];
      if (value === null || value === undefined) return 'null';
      const expression = fresh.get(value);
      if (expression) return `(${expression})`;
      const variable = `s${s}p${number}`;
      if (!variables.some((set) => set.startsWith(`${variable}=`))) variables.push(`${variable}=${value}`);
      return [...fresh].reduce(
        (sent, [part, made]) => (value.includes(part) ? `replace(${sent}, '${part}', (${made})::text)` : sent),
        `:${variable}`,
      );
    }),
  );
  const file = join(mkdtempSync(join(tmpdir(), 'waymark-bench-')), 'script.sql');
  writeFileSync(file, `\\set n random(1, 9000000000000)\n${lines.map((line) => `${line};`).join('\n')}\n`);
  return { file, variables };
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
