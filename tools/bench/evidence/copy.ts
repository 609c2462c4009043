import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export type Row = readonly (string | number | boolean | null)[];

export interface Table {
  readonly name: string;
  readonly columns: string;
  readonly rows: Iterable<Row>;
}

const CHUNK_LENGTH = 256 * 1024;

/** Loads rows as they are made, so that a million of them need no memory. */
export async function copyInto(databaseUrl: string, { name, columns, rows }: Table): Promise<void> {
  const copy = `copy ${name} (${columns}) from stdin`;
  const psql = spawn('psql', ['-qX', '-v', 'ON_ERROR_STOP=1', databaseUrl, '-c', copy], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const exited = once(psql, 'exit');
  await pipeline(Readable.from(chunks(rows)), psql.stdin);
  const [status] = await exited;
  if (status !== 0) throw new Error(`${name} was not loaded`);
}

function* chunks(rows: Iterable<Row>): Iterable<string> {
  let chunk = '';
  for (const row of rows) {
    chunk += `${row.map(cell).join('\t')}\n`;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function cell(value: Row[number]): string {
  return value === null ? '\\N' : String(value).replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character);
}
