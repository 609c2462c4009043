import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '../services/endpoints.ts';
import type { Installation } from './installation.ts';

/** One statement as the database server logged it. */
export interface Logged {
  readonly name: string;
  readonly text: string;
  /** In the order of $1, $2 …; null for SQL's null. */
  readonly values: readonly (string | null)[];
}

const START = /^\S+ \S+ UTC \[\d+\] (\S+) (\w+): {2}(.*)$/;

/** Runs `work` with statement logging, and returns the statements on this database. */
export async function captureStatements(installation: Installation, work: () => Promise<void>): Promise<Logged[]> {
  const file = join(endpoints().dataDir, 'log/postgres.log');
  installation.sql(`alter database ${installation.database} set log_statement = 'all'`);
  const api = await installation.start('api');
  // Once before, so that connections and prepared statements exist.
  await work();
  const from = statSync(file).size;
  await work();
  await api.stop();
  installation.sql(`alter database ${installation.database} reset log_statement`);
  return parse(readFileSync(file).subarray(from).toString(), installation.database);
}

function parse(log: string, database: string): Logged[] {
  const messages: { level: string; text: string }[] = [];
  for (const line of log.split('\n')) {
    const start = START.exec(line);
    if (start && start[1] === database) messages.push({ level: start[2] ?? '', text: start[3] ?? '' });
    else if (line.startsWith('\t')) {
      const last = messages.at(-1);
      if (last) messages[messages.length - 1] = { ...last, text: `${last.text}\n${line.slice(1)}` };
    }
  }
  return messages.flatMap(({ level, text }, i) => {
    if (level !== 'LOG') return [];
    const border = /^statement: (begin|commit)$/.exec(text)?.[1];
    if (border) return [{ name: border, text: border, values: [] }];
    const executed = /^execute (\S+): (.*)$/s.exec(text);
    if (!executed) return [];
    const detail = messages[i + 1];
    const values = detail?.level === 'DETAIL' ? parametersOf(detail.text) : [];
    return [{ name: executed[1] ?? '', text: executed[2] ?? '', values }];
  });
}

function parametersOf(detail: string): (string | null)[] {
  return [...detail.matchAll(/\$\d+ = (NULL|'((?:[^']|'')*)')/g)].map((match) =>
    match[1] === 'NULL' ? null : (match[2] ?? '').replaceAll("''", "'"),
  );
}
