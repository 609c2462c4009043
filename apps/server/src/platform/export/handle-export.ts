import { Readable } from 'node:stream';
import { EXPORT_MAX, type FileContract, type Input } from '@waymark/contract';
import type { z } from 'zod';
import type { Ctx } from '../ctx.ts';
import { invalid } from '../errors.ts';
import type { App } from '../http/app.ts';
import { handleFile } from '../http/file-reply.ts';
import { inChunks } from './chunks.ts';
import { type CsvCell, cellText, csvLine } from './csv.ts';

/** The header of each column of the CSV, and its cell. */
export type CsvColumns<Item> = Readonly<Record<string, (item: Item) => CsvCell>>;

/** An item of a list on the wire, as JSON and as a line of CSV. */
export interface Exported<Schema extends z.ZodType> {
  readonly item: Schema;
  readonly columns: CsvColumns<z.output<Schema>>;
  /** What the items are called, such as `flows`. */
  readonly what: string;
  /** The most items of one export; `EXPORT_MAX` unless given. */
  readonly most?: number;
}

export interface ListToExport<Item> {
  /** The name of the file without its ending. */
  readonly name: string;
  /** How many there are; counting may stop beyond the limit. */
  readonly total: number;
  /** Read one after another, in short statements, however slow the client is. */
  readonly pages: AsyncIterable<readonly Item[]>;
}

/** Its query has a `format`. */
type ExportContract = FileContract & { readonly orAsFile: 'application/json' };

/** Items that are in memory at a time. */
export const EXPORT_BATCH = 200;

/**
 * Mounts the export of a list. `list` is given what the list itself is given, and uses its reads, so that the file
 * contains what the list shows.
 */
export function handleExport<C extends ExportContract, Schema extends z.ZodType>(
  app: App,
  contract: C,
  exported: Exported<Schema>,
  list: (ctx: Ctx, input: Input<C>) => Promise<ListToExport<z.input<Schema>>>,
): void {
  handleFile(app, contract, async (ctx, input) => {
    const leave = app.exports.take(ctx.org);
    try {
      const { format = 'csv' } = input.query as { format?: 'csv' | 'json' };
      const { name, total, pages } = await list(ctx, input);
      requireBounded(total, exported);
      const texts = format === 'json' ? jsonOf(exported, pages) : csvOf(exported, pages);
      const stream = Readable.from(inChunks(texts), { objectMode: false });
      stream.once('close', leave);
      return {
        filename: `${name}.${format}`,
        stream,
        ...(format === 'json' && { type: 'application/json; charset=utf-8' }),
      };
    } catch (error) {
      leave();
      throw error;
    }
  });
}

function requireBounded(total: number, { what, most = EXPORT_MAX }: Pick<Exported<z.ZodType>, 'what' | 'most'>): void {
  if (total <= most) return;
  const words = most.toLocaleString('en');
  throw invalid(`More than ${words} ${what} match, and an export contains at most ${words}. Narrow the filters`);
}

/** The same bytes as the array in the response of the list. */
async function* jsonOf<Schema extends z.ZodType>(
  { item }: Exported<Schema>,
  pages: AsyncIterable<readonly z.input<Schema>[]>,
): AsyncGenerator<string, void> {
  let before = '[';
  for await (const items of pages) {
    for (const one of items) {
      yield `${before}${JSON.stringify(item.parse(one))}`;
      before = ',';
    }
  }
  yield before === '[' ? '[]' : ']';
}

async function* csvOf<Schema extends z.ZodType>(
  { item, columns }: Exported<Schema>,
  pages: AsyncIterable<readonly z.input<Schema>[]>,
): AsyncGenerator<string, void> {
  const cells = Object.values(columns);
  yield csvLine(Object.keys(columns));
  for await (const items of pages) {
    for (const one of items) {
      const shown = item.parse(one);
      yield csvLine(cells.map((cell) => cellText(cell(shown))));
    }
  }
}
