import { FLOORS } from './floors.ts';
import { arrowsOf, readImports } from './graph.ts';

const BEGIN = '<!-- feature graph: written by pnpm generate -->';
const END = '<!-- end of feature graph -->';
const TITLE = 'Features of the server by floor. A feature imports features of its own floor or of a floor below.';

/** Draws the floors, the ground at the bottom, and lists what each feature imports: as arrows nobody could follow it. */
export function featureGraph(): string {
  const arrows = arrowsOf(readImports().imports);
  const floors = FLOORS.toReversed();
  const boxes = floors.map(({ name, features }) => `  ${name}["${[`${name}:`, ...inRows(features)].join('<br/>')}"]`);
  const stack = floors.map(({ name }) => name).join(' --> ');
  const rows = [...arrows]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([from, to]) => `- \`${from}\` imports ${[...to].sort().join(', ')}.`);
  const drawing = ['```mermaid', 'flowchart TB', `  accTitle: ${TITLE}`, ...boxes, `  ${stack}`, '```'];
  return [...drawing, '', ...rows].join('\n');
}

function inRows(features: readonly string[]): string[] {
  return Array.from({ length: Math.ceil(features.length / 3) }, (_, row) =>
    features.slice(row * 3, row * 3 + 3).join(', '),
  );
}

/** Returns the page with its drawing replaced. */
export function withFeatureGraph(page: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error('the page has no place for the feature graph');
  return `${page.slice(0, begin + BEGIN.length)}\n\n${featureGraph()}\n\n${page.slice(end)}`;
}
