import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import { classes } from './classes.ts';
import { Empty } from './States.tsx';

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: Row) => React.ReactNode;
  /** The key by which the server sorts it. */
  readonly sort?: string;
  readonly align?: 'right';
  /** Takes more of the width than others. */
  readonly wide?: boolean;
  /** Hidden on narrow screens. */
  readonly secondary?: boolean;
}

export interface Sort {
  readonly by: string;
  readonly direction: 'asc' | 'desc';
}

interface TableProps<Row> {
  /** The caption for screen readers; not shown. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly sort?: Sort;
  readonly onSort?: (sort: Sort) => void;
  readonly empty?: React.ReactNode;
}

/** Rows of one page. The server sorts and filters; on a narrow screen each row becomes a card. */
export function DataTable<Row>({ caption, columns, rows, rowKey, sort, onSort, empty }: TableProps<Row>) {
  if (rows.length === 0) return empty ?? <Empty title="No entries" />;
  return (
    <div className="overflow-x-auto print:overflow-visible">
      <table className="w-full border-collapse text-[13.5px] max-sm:block" data-rows>
        <caption className="sr-only">{caption}</caption>
        <thead className="max-sm:sr-only">
          <tr className="border-b border-line text-left text-[12.5px] text-quiet">
            {columns.map((column) => (
              <HeaderCell key={column.key} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody className="max-sm:block">
          {rows.map((row) => (
            <tr
              key={rowKey(row)}
              className="border-b border-line last:border-b-0 hover:bg-raised/50 focus-within:bg-raised/50 max-sm:block max-sm:px-4 max-sm:py-3"
            >
              {columns.map((column, place) => (
                <td
                  key={column.key}
                  data-label={column.title}
                  className={classes(
                    'break-words align-top sm:px-3 sm:py-2 sm:first:pl-4 sm:last:pr-4 print:px-1.5',
                    column.secondary ? 'max-lg:hidden' : 'max-sm:flex max-sm:gap-3 max-sm:py-0.5',
                    place > 0 &&
                      'max-sm:before:w-28 max-sm:before:shrink-0 max-sm:before:text-quiet max-sm:before:content-[attr(data-label)]',
                    column.align === 'right' && 'sm:text-right',
                    column.wide && '[overflow-wrap:anywhere] sm:w-2/5 sm:min-w-44 print:min-w-32',
                  )}
                >
                  <div className="min-w-0 max-sm:flex-1">{column.cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function HeaderCell<Row>({
  column,
  sort,
  onSort,
}: {
  readonly column: Column<Row>;
  readonly sort: Sort | undefined;
  readonly onSort: ((sort: Sort) => void) | undefined;
}) {
  const isSorted = column.sort !== undefined && sort?.by === column.sort;
  const Arrow = !isSorted ? ArrowUpDown : sort?.direction === 'desc' ? ArrowDown : ArrowUp;
  const direction = isSorted ? (sort?.direction === 'desc' ? 'descending' : 'ascending') : undefined;
  return (
    <th
      scope="col"
      {...(direction && { 'aria-sort': direction })}
      className={classes(
        'px-3 py-2 font-medium whitespace-nowrap first:pl-4 last:pr-4 print:px-1.5',
        column.align === 'right' && 'text-right',
        column.secondary && 'max-lg:hidden',
      )}
    >
      {column.sort !== undefined && onSort ? (
        <button
          type="button"
          className="inline-flex min-h-6 cursor-pointer items-center gap-1 hover:text-ink"
          onClick={() =>
            onSort({ by: column.sort ?? '', direction: isSorted && sort?.direction === 'asc' ? 'desc' : 'asc' })
          }
        >
          {column.title}
          <Arrow size={13} aria-hidden className={classes('shrink-0', !isSorted && 'opacity-50')} />
        </button>
      ) : (
        column.title
      )}
    </th>
  );
}
