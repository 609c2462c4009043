import { FLOORS } from './floors.ts';
import { arrowsOf, readImports } from './graph.ts';

const BEGIN = '<!-- feature graph: written by pnpm generate -->';
const END = '<!-- end of feature graph -->';

/** Draws the features by floor, the ground at the bottom, with an arrow for each feature that imports another. */
export function featureGraph(): string {
  const arrows = arrowsOf(readImports().imports);
  const floors = FLOORS.toReversed().map(({ name, features }) =>
    [`  subgraph ${name}`, ...features.map((feature) => `    ${feature}`), '  end'].join('\n'),
  );
  const lines = [...arrows]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([from, to]) => `  ${from} --> ${[...to].sort().join(' & ')}`);
  return ['```mermaid', 'flowchart TB', ...floors, ...lines, '```'].join('\n');
}

/** Returns the page with its drawing replaced. */
export function withFeatureGraph(page: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error('the page has no place for the feature graph');
  return `${page.slice(0, begin + BEGIN.length)}\n\n${featureGraph()}\n\n${page.slice(end)}`;
}
