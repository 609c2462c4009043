/** Links and tags are written one per line, `name` and its value: that is quick to read, write and paste. */

export type Pairs = Readonly<Record<string, string>>;

/** The separator between the two. */
type Between = ': ' | '=';

/** Where a line is split, the safest first: the name of a link may contain colons, even with a space after. */
const CUTS: Readonly<Record<Between, readonly RegExp[]>> = {
  ': ': [/:\s*(?=https?:\/\/)/i, /:\s/, /:/],
  '=': [/=/],
};

export function writePairs(pairs: Pairs, between: Between): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name}${between}${value}`)
    .join('\n');
}

export type ReadPairs = { readonly pairs: Pairs } | { readonly wrongLine: string };

/** Returns the first line that lacks one of them. */
export function readPairs(text: string, between: Between): ReadPairs {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const pairs: [string, string][] = [];
  for (const line of lines) {
    const cut = CUTS[between].map((each) => each.exec(line)).find((found) => found !== null);
    const name = line.slice(0, cut?.index ?? 0).trim();
    if (!cut || name === '') return { wrongLine: line };
    pairs.push([name, line.slice(cut.index + cut[0].length).trim()]);
  }
  return { pairs: Object.fromEntries(pairs) };
}

/** What to set and what to remove to get from one to the other. */
export function tagChanges(before: Pairs, after: Pairs): { set_tags: Record<string, string>; remove_tags: string[] } {
  const set = Object.entries(after).filter(([key, value]) => before[key] !== value);
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return { set_tags: Object.fromEntries(set), remove_tags: removed };
}
