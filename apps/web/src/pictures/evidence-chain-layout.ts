import type { Chain, ChainNode } from './evidence-chain.ts';
import { STAGES, type Stage } from './evidence-chain-stages.ts';

export const NODE_HEIGHT = 58;
const NODE_GAP = 10;
const COLUMN_GAP = 26;
const COLUMN_WIDTH_LEAST = 128;
/** Up to this many passing nodes are shown one by one. */
const PASSING_SHOWN = 3;

/** Several passing nodes as one. */
export interface FoldedNode {
  readonly id: string;
  readonly stage: Stage;
  readonly folded: readonly ChainNode[];
}

export interface Placed {
  readonly node: ChainNode | FoldedNode;
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  readonly columnWidth: number;
  readonly columnX: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly placed: readonly Placed[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly path: string }[];
}

export function isFolded(node: ChainNode | FoldedNode): node is FoldedNode {
  return 'folded' in node;
}

/** Many passing nodes are grouped: readers come to see what fails. */
export function foldPassing(nodes: readonly ChainNode[]): readonly (ChainNode | FoldedNode)[] {
  return STAGES.flatMap(({ id: stage }) => {
    const here = nodes.filter((node) => node.stage === stage);
    const passing = here.filter(canFold);
    if (passing.length <= PASSING_SHOWN) return here;
    return [...here.filter((node) => !canFold(node)), { id: `folded:${stage}`, stage, folded: passing }];
  });
}

/** Environments have no verdict here, but there may be many of them too. */
function canFold({ state, ghost, stage }: ChainNode): boolean {
  return !ghost && (state === 'compliant' || (state === null && stage === 'running'));
}

export function layOut(
  { edges }: Pick<Chain, 'edges'>,
  shown: readonly (ChainNode | FoldedNode)[],
  room: number,
): Layout {
  const columns = STAGES.length;
  const columnWidth = Math.max(COLUMN_WIDTH_LEAST, Math.floor((room - COLUMN_GAP * (columns - 1)) / columns));
  const columnX = STAGES.map((_, index) => index * (columnWidth + COLUMN_GAP));
  const tallest = Math.max(1, ...STAGES.map(({ id }) => shown.filter(({ stage }) => stage === id).length));
  const height = tallest * NODE_HEIGHT + (tallest - 1) * NODE_GAP;
  const placed = STAGES.flatMap(({ id }, column) => {
    const here = shown.filter(({ stage }) => stage === id);
    const ownHeight = here.length * NODE_HEIGHT + (here.length - 1) * NODE_GAP;
    const top = (height - ownHeight) / 2;
    return here.map((node, row) => ({ node, x: columnX[column] ?? 0, y: top + row * (NODE_HEIGHT + NODE_GAP) }));
  });
  return {
    columnWidth,
    columnX,
    width: columns * columnWidth + (columns - 1) * COLUMN_GAP,
    height,
    placed,
    edges: curves(edges, placed, columnWidth),
  };
}

/** An edge of a folded node becomes an edge of its group. */
function curves(edges: Chain['edges'], placed: readonly Placed[], columnWidth: number): Layout['edges'] {
  const places = new Map<string, Placed>();
  for (const place of placed) {
    places.set(place.node.id, place);
    if (isFolded(place.node)) for (const { id } of place.node.folded) places.set(id, place);
  }
  const drawn = new Map<string, Layout['edges'][number]>();
  for (const [from, to] of edges) {
    const start = places.get(from);
    const end = places.get(to);
    if (!start || !end || start === end) continue;
    drawn.set(`${start.node.id} ${end.node.id}`, {
      from: start.node.id,
      to: end.node.id,
      path: curve(start.x + columnWidth, start.y + NODE_HEIGHT / 2, end.x, end.y + NODE_HEIGHT / 2),
    });
  }
  return [...drawn.values()];
}

/** Turns in the gaps between columns, so that it leaves and enters nodes horizontally. */
function curve(x1: number, y1: number, x2: number, y2: number): string {
  const bend = COLUMN_GAP / 2;
  const turn = x2 - COLUMN_GAP;
  const straight = turn > x1 ? `H${turn}` : '';
  const from = Math.max(turn, x1);
  return `M${x1} ${y1}${straight}C${from + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}
