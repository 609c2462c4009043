import { stripVTControlCharacters } from 'node:util';

const GAP = '  ';
const NARROWEST = 8;

/** Columns side by side, as wide as their content; the last is never padded. The widest shrink to fit. */
export function tableOf(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  max = Number.POSITIVE_INFINITY,
): string {
  const widths = fitting(
    titles.map((title, at) => Math.max(...[title, ...rows.map((row) => row[at] ?? '')].map(widthOf))),
    titles.map((title) => Math.max(NARROWEST, widthOf(title))),
    max - GAP.length * (titles.length - 1),
  );
  return [titles, ...rows]
    .map((row) =>
      row
        .map((cell, at) => cutShown(cell, widths[at] ?? 0))
        .map((cell, at) => (at === row.length - 1 ? cell : pad(cell, widths[at] ?? 0)))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

/** Shrinks the widest until all fit, or none can be narrower. */
function fitting(widths: readonly number[], narrowest: readonly number[], max: number): number[] {
  const fitted = [...widths];
  let over = fitted.reduce((sum, width) => sum + width, 0) - max;
  while (over > 0) {
    const spare = fitted.map((width, at) => (width > (narrowest[at] ?? 0) ? width : 0));
    const widest = Math.max(...spare);
    if (widest === 0) break;
    fitted[spare.indexOf(widest)] = widest - 1;
    over -= 1;
  }
  return fitted;
}

const COLOUR = new RegExp(`(${String.fromCharCode(27)}\\[[0-9;]*m)`);

/** Keeps colors, so that each cell resets its own. */
function cutShown(cell: string, max: number): string {
  if (widthOf(cell) <= max) return cell;
  let room = max - 1;
  let isCut = false;
  const parts = cell.split(COLOUR).map((part, at) => {
    if (at % 2 === 1 || isCut) return at % 2 === 1 ? part : '';
    const beginning = beginningOf(part, room);
    room -= widthOf(beginning);
    isCut = beginning !== part;
    return isCut ? `${beginning.trimEnd()}…` : part;
  });
  return parts.join('');
}

function beginningOf(text: string, max: number): string {
  let beginning = '';
  let width = 0;
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    width += widthOf(segment);
    if (width > max) break;
    beginning += segment;
  }
  return beginning;
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - widthOf(cell)));
}

/** Characters that are two columns wide in a terminal. */
const WIDE =
  /\p{Extended_Pictographic}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u;
const NARROW_SIGNS = new Set(['✓', '✕', '©', '®', '™', '↔']);

export function widthOf(text: string): number {
  const shown = stripVTControlCharacters(text);
  // Creating a segmenter takes longer than all other work for a table.
  if (/^[ -~]*$/.test(shown)) return shown.length;
  let width = 0;
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(shown)) {
    width += WIDE.test(segment) && !NARROW_SIGNS.has(segment) ? 2 : 1;
  }
  return width;
}

/** Untrusted text on a terminal: no escape sequences, one line, and no CI commands. */
export function oneLine(text: string): string {
  return withoutCommands(text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim());
}

/** Like `oneLine`, for texts that have several lines. */
export function inert(text: string): string {
  return text.split('\n').map(oneLine).join('\n  ');
}

/** Agents of CI systems search all output for commands, some at the beginning of a line, some anywhere. */
function withoutCommands(line: string): string {
  return line.replace(/^::/, ': :').replace(/##(?=(?:vso|teamcity)?\[)/gi, '# #');
}

export function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}
