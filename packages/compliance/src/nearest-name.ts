const MAX_COMPARED = 100;

/** Returns the likely intended name: the closest other one, ignoring case. Compares a bounded number of candidates. */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  const folded = name.toLowerCase();
  let best: string | undefined;
  let farthest = Number.POSITIVE_INFINITY;
  for (const candidate of Iterator.from(candidates).take(MAX_COMPARED)) {
    if (candidate === name) continue;
    const bound = Math.min(farthest, slipsIn(Math.min(name.length, candidate.length)));
    const distance = editDistance(folded, candidate.toLowerCase(), bound);
    if (distance > bound) continue;
    best = candidate;
    farthest = distance - 1;
  }
  return best;
}

/** The likely number of typos in a word: `ui` is not `db`, and `worker` is not `broker`. */
function slipsIn(length: number): number {
  if (length < 3) return 0;
  return length < 7 ? 1 : 2;
}

/**
 * The edit distance of two words, where a transposition counts as one. Stops counting once it must exceed `farthest`.
 */
function editDistance(from: string, to: string, farthest: number): number {
  if (Math.abs(from.length - to.length) > farthest) return farthest + 1;
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 0; i < from.length; i++) {
    const next = rowOf(from, i, to, row, before);
    if (Math.min(...next) > farthest) return farthest + 1;
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}

/** The edits from the first `i` letters of one word to each prefix of the other. */
function rowOf(from: string, i: number, to: string, above: readonly number[], twoAbove: readonly number[]): number[] {
  const row = [i + 1];
  for (let j = 0; j < to.length; j++) {
    const replaced = (above[j] ?? 0) + (from[i] === to[j] ? 0 : 1);
    const areSwapped = i > 0 && from[i] === to[j - 1] && from[i - 1] === to[j];
    const swapped = areSwapped ? (twoAbove[j - 1] ?? 0) + 1 : replaced;
    row.push(Math.min(replaced, swapped, (above[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1));
  }
  return row;
}
