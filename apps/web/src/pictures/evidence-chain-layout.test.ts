import { describe, expect, test } from 'vitest';
import { chainOf } from './evidence-chain.ts';
import { artifactOf, slot, trailWith } from './evidence-chain-given.ts';
import { foldPassing, isFolded, layOut, NODE_HEIGHT } from './evidence-chain-layout.ts';
import { stageOf } from './evidence-chain-stages.ts';

const many = ['a', 'b', 'c', 'd', 'e'].map((name) => slot(name, 'junit'));
const chain = chainOf({
  trail: trailWith([], { web: [...many, slot('scan', 'snyk', { is_compliant: false })] }),
  explanation: undefined,
  attestations: new Map(),
  artifacts: [artifactOf('web')],
  demands: [],
});

describe('folding', () => {
  test('groups many passing nodes, and none that fail', () => {
    const shown = foldPassing(chain.nodes).filter(({ stage }) => stage === 'checks');
    expect(shown.map((node) => (isFolded(node) ? node.folded.length : node.title))).toEqual(['scan', 5]);
  });

  test('leaves a few alone', () => {
    expect(foldPassing(chain.nodes.slice(0, 4)).some(isFolded)).toBe(false);
  });

  test('merges the edges of folded nodes', () => {
    const layout = layOut(chain, foldPassing(chain.nodes), 1200);
    const toArtifact = layout.edges.filter(({ to }) => to === 'artifact:web').map(({ from }) => from);
    expect(toArtifact.toSorted()).toEqual(['folded:checks', 'web/scan:snyk:id-scan']);
  });
});

describe('the layout', () => {
  test('has the same columns whatever is in them, and no overlapping nodes', () => {
    const layout = layOut(chain, chain.nodes, 1200);
    expect(layout.columnX).toHaveLength(7);
    const places = layout.placed.map(({ x, y }) => `${x} ${y}`);
    expect(new Set(places).size).toBe(places.length);
    for (const { x, y } of layout.placed) {
      expect(x + layout.columnWidth).toBeLessThanOrEqual(layout.width);
      expect(y + NODE_HEIGHT).toBeLessThanOrEqual(layout.height);
    }
  });

  test('fills the width, and scrolls below a readable width', () => {
    expect(layOut(chain, chain.nodes, 1200).width).toBeLessThanOrEqual(1200);
    expect(layOut(chain, chain.nodes, 1200).width).toBeGreaterThan(1180);
    expect(layOut(chain, chain.nodes, 350).width).toBeGreaterThan(900);
  });
});

test('evidence whose type has no stage is placed by its name', () => {
  expect(stageOf('generic', 'code-review')).toBe('review');
  expect(stageOf('custom:approval', 'change-request')).toBe('ticket');
  expect(stageOf('decision', 'SDLC-7')).toBe('checks');
  expect(stageOf('jira', 'code-review')).toBe('ticket');
});
