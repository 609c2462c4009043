/** The cells of each line, read strictly by RFC 4180. */
export function readCsv(text: string): string[][] {
  const lines: string[][] = [];
  let at = 0;
  while (at < text.length) {
    const cells: string[] = [];
    while (true) {
      const cell = readCell(text, at);
      cells.push(cell.text);
      at = cell.end + 1;
      if (text[cell.end] !== ',') break;
    }
    if (text[at - 1] !== '\r' || text[at] !== '\n') throw new Error(`the line of ${JSON.stringify(cells)} has no end`);
    at += 1;
    lines.push(cells);
  }
  return lines;
}

function readCell(text: string, start: number): { text: string; end: number } {
  if (text[start] !== '"') {
    let end = start;
    while (end < text.length && text[end] !== ',' && text[end] !== '\r') end++;
    return { text: text.slice(start, end), end };
  }
  let end = start + 1;
  while (text[end] !== '"' || text[end + 1] === '"') end += text[end] === '"' ? 2 : 1;
  return { text: text.slice(start + 1, end).replaceAll('""', '"'), end: end + 1 };
}
