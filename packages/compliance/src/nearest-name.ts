const MOST_COMPARED = 100;

/** What was probably meant: the closest other name, letter case aside. Compares a bounded number of candidates. */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  const folded = name.toLowerCase();
  let best: string | undefined;
  let farthest = name.length < 5 ? 1 : 2;
  for (const candidate of Iterator.from(candidates).take(MOST_COMPARED)) {
    if (candidate === name) continue;
    const distance = editDistance(folded, candidate.toLowerCase(), farthest);
    // Names that share no letter are not alike, however short they are.
    if (distance > farthest || distance >= candidate.length) continue;
    best = candidate;
    farthest = distance - 1;
  }
  return best;
}

/** The number of edits between two words. Stops counting once it must exceed `farthest`. */
function editDistance(from: string, to: string, farthest: number): number {
  if (Math.abs(from.length - to.length) > farthest) return farthest + 1;
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1];
    let least = i + 1;
    for (let j = 0; j < to.length; j++) {
      const replaced = (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1);
      const cell = Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1);
      next.push(cell);
      least = Math.min(least, cell);
    }
    if (least > farthest) return farthest + 1;
    row = next;
  }
  return row[to.length] ?? 0;
}
