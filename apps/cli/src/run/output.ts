import { CliError, usageError } from './cli-error.ts';
import type { Io } from './io.ts';
import type { Column, Outcome, Rows } from './outcome.ts';
import type { Resolved } from './resolve-settings.ts';
import type { OutputFormat, Settings } from './settings.ts';
import { type Style, styleFor } from './style.ts';
import { oneLine, tableOf } from './table.ts';

/** Writes the result to standard output, in the requested format. */
export async function print(io: Io, settings: Settings, outcome: Outcome): Promise<void> {
  const text = await textOf(outcome, settings, styleFor(io.stdout, io.env, settings.color));
  if (text === '' && outcome.rows?.items.length === 0 && !settings.quiet) io.stderr.write(`${outcome.rows.none}\n`);
  if (text !== '') io.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

export async function textOf(outcome: Outcome, settings: Settings, style: Style): Promise<string> {
  const { json: fields, jq, output } = settings;
  const chosen = () => (typeof fields === 'string' ? picked(dataOf(outcome), fields.split(',')) : dataOf(outcome));
  if (jq !== undefined) return filtered(chosen(), jq);
  return fields === undefined ? formats[output](outcome, style) : json(chosen());
}

const formats: Readonly<Record<OutputFormat, (outcome: Outcome, style: Style) => string | Promise<string>>> = {
  table: (outcome, style) => forPeople(outcome, style, false),
  wide: (outcome, style) => forPeople(outcome, style, true),
  json: (outcome) => json(dataOf(outcome)),
  yaml: async (outcome) => (await import('yaml')).stringify(dataOf(outcome)),
  ndjson: (outcome) =>
    [dataOf(outcome)]
      .flat()
      .map((item) => JSON.stringify(item))
      .join('\n'),
  csv: (outcome) =>
    outcome.csv ?? lists(outcome, 'csv', ({ items, columns }) => csv([columns.map(titleOf), ...cells(items, columns)])),
  markdown: (outcome) =>
    outcome.markdown ??
    lists(outcome, 'markdown', ({ items, columns }) => markdownTable(columns.map(titleOf), cells(items, columns))),
  name: (outcome) => lists(outcome, 'name', ({ items, name }) => items.map((item) => oneLine(name(item))).join('\n')),
};

function forPeople({ text, rows, data }: Outcome, style: Style, isWide: boolean): string {
  const printed = typeof text === 'function' ? text(style) : text;
  if (!rows) return printed ?? (data === undefined ? '' : json(data));
  if (rows.items.length === 0) return printed ?? '';
  const columns = rows.columns.filter((column) => isWide || !column.wide);
  const table = tableOf(
    columns.map((column) => style.faint(column.title.toUpperCase())),
    rows.items.map((item) => columns.map((column) => shown(column, item, style))),
    style.tableColumns,
  );
  return printed === undefined ? table : `${table}\n${printed}`;
}

function shown(column: Column<never>, item: never, style: Style): string {
  const text = oneLine(plainText(column.of(item)));
  return column.format?.(text, item, style) ?? text;
}

const plainText = (value: unknown) => (value === null || value === undefined ? '' : String(value));
const titleOf = (column: Column<never>) => column.title;
const cells = (items: readonly never[], columns: readonly Column<never>[]) =>
  items.map((item) => columns.map((column) => plainText(column.of(item))));

function lists(outcome: Outcome, format: string, write: (rows: Rows) => string): string {
  if (outcome.rows) return write(outcome.rows);
  throw usageError(`This command does not print a list, so -o ${format} is not available`, 'Use -o json, or -o table');
}

function dataOf({ data }: Outcome): unknown {
  if (data !== undefined) return data;
  throw usageError('This command has no JSON output', 'Use -o table');
}

function json(data: unknown): string {
  return JSON.stringify(data, null, 2);
}

/** Unknown fields are a mistake, not an empty answer. */
function picked(data: unknown, fields: readonly string[]): unknown {
  if (Array.isArray(data)) return data.map((item) => picked(item, fields));
  if (typeof data !== 'object' || data === null) throw usageError('The result is a single value without fields');
  const record = data as Record<string, unknown>;
  const missing = fields.find((field) => !Object.hasOwn(record, field));
  if (missing !== undefined) {
    throw usageError(`The result has no field '${missing}'`, `Use one of ${Object.keys(record).join(', ')}`);
  }
  return Object.fromEntries(fields.map((field) => [field, record[field]]));
}

/** Two formats on one line are a mistake; a format from a variable gives way. */
export function refuseTwoFormats({ settings, sources }: Pick<Resolved, 'settings' | 'sources'>): void {
  const { output, json: fields, jq } = settings;
  const other = fields === undefined ? jq && '--jq' : '--json';
  if (other === undefined || output === 'json' || sources.output !== '--output') return;
  throw usageError(
    `--output ${output} and ${other} are different formats`,
    `${other} prints JSON; leave out one of them`,
  );
}

/** An invalid filter is detected before anything is sent. */
export async function refuseUnreadableFilter({ jq }: Settings): Promise<void> {
  if (jq === undefined) return;
  const { raw } = await import('jq-wasm/inline');
  const { stderr, exitCode } = await raw('null', jq, ['-r']);
  if (exitCode === JQ_CANNOT_COMPILE) throw unreadable(stderr);
}

const JQ_CANNOT_COMPILE = 3;

async function filtered(data: unknown, expression: string): Promise<string> {
  const jq = await import('jq-wasm/inline');
  const { stdout, stderr, exitCode } = await jq.raw(JSON.stringify(data), expression, ['-r']);
  if (exitCode === 0) return stdout;
  throw unreadable(stderr);
}

function unreadable(stderr: string): CliError {
  const [complaint = ''] = stderr.trim().split('\n');
  return new CliError('usage', `--jq: ${complaint.replace(/^jq: (error: )?|:$/g, '')}`);
}

/** RFC 4180. A cell that a spreadsheet would run as a formula gets a quote, as in the audit log. */
function csv(rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => {
    const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (row: readonly string[]) => `| ${row.map((cell) => markdownText(cell)).join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Untrusted text in Markdown: no markup, no links, no HTML. */
export function markdownText(text: string): string {
  return oneLine(text).replace(/[\\`*_{}[\]<>()#|!~]/g, (sign) => `\\${sign}`);
}
