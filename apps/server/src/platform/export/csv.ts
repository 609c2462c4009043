/** A line as in RFC 4180. */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map((cell) => (typeof cell === 'number' ? String(cell) : textCell(cell))).join()}\r\n`;
}

/**
 * Spreadsheets run a cell that begins like this, some also when a quote comes first. With a quote in front it is text.
 * A cell that already has that quote gets another, so that the original can be recovered.
 */
const FORMULA = /^["']?[=+\-@\t\r\n]/;
const SPECIAL = /[",\r\n]/;

function textCell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return SPECIAL.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** How a value of the API is written in a cell: a list or map in one cell, and nothing for null. */
export type CsvCell = string | number | boolean | null | readonly string[] | Readonly<Record<string, string>>;

export function cellText(cell: CsvCell): string | number {
  if (cell === null) return '';
  if (typeof cell === 'boolean') return String(cell);
  if (typeof cell !== 'object') return cell;
  if (Array.isArray(cell)) return cell.join('; ');
  return Object.entries(cell)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => (value === '' ? key : `${key}=${value}`))
    .join('; ');
}

/** A time of the API, which has seconds since 1970. */
export function cellTime(seconds: number | null): string {
  return seconds === null ? '' : new Date(seconds * 1000).toISOString();
}
