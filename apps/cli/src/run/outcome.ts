import type { Ending } from './exit-codes.ts';
import type { Style } from './style.ts';

export interface Column<Item> {
  readonly title: string;
  readonly of: (item: Item) => string | number | boolean | null | undefined;
  /** Shown with `-o wide`, in CSV and in Markdown. */
  readonly wide?: true;
  /** Colors what people see; never the output for programs. */
  readonly format?: (text: string, item: Item, style: Style) => string;
}

export interface Rows<Item = never> {
  readonly items: readonly Item[];
  readonly columns: readonly Column<Item>[];
  /** What `-o name` prints. */
  readonly name: (item: Item) => string;
  /** Shown instead of an empty table, with what to do. */
  readonly none: string;
}

/** The outcome of a command. Every format is made from this. */
export interface Outcome {
  readonly ending?: Ending;
  /** For programs, in the shape of the API. */
  readonly data?: unknown;
  /** For people. Lines, or a function that makes them. */
  readonly text?: string | ((style: Style) => string);
  readonly rows?: Rows;
  /** For `-o markdown`, where it is more than a table. */
  readonly markdown?: string;
  /** For `-o csv`, where the service writes it. */
  readonly csv?: string;
  /** The page about it, for --web. */
  readonly page?: string;
}

/** Hides the type of the items. */
export function rowsOf<Item>(rows: Rows<Item>): Rows {
  return rows as unknown as Rows;
}
