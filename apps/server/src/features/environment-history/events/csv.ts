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
