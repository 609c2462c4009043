import type { Explanation } from '@waymark/compliance';
import { expect, it } from 'vitest';
import { explanationTree } from './explanation-tree.ts';

function node(id: string, more: Partial<Explanation> = {}): Explanation {
  const base = { kind: 'attestation', status: 'COMPLIANT', needs: 'n', because: 'b', fix: null, since: null } as const;
  return { id, ...base, found: [], children: [], ...more };
}

it('folds away what is met, opens what is not, and names each step once', () => {
  const root = node('trail', { status: 'MISSING', fix: 'Report it.', children: [node('trail/attestation:a<b')] });
  const { markup } = explanationTree(root, new Set());
  expect(markup.match(/<details open>/g)).toHaveLength(1);
  expect(markup.match(/<details>/g)).toHaveLength(1);
  expect(markup).toContain('<bdi>attestation:a&lt;b</bdi>');
  expect(markup).toContain('Report it.');
});

it('links only what is in the package', () => {
  const found = { name: 'x', type: null, isCompliant: null, at: 1 };
  const root = node('trail', {
    found: [
      { ...found, kind: 'artifact', id: 'in' },
      { ...found, kind: 'attestation', id: 'out' },
    ],
  });
  const { markup } = explanationTree(root, new Set(['in']));
  expect([...markup.matchAll(/href="([^"]*)"/g)].map(([, path]) => path)).toEqual(['records/artifacts/in.json']);
});

it('stops at 2,000 nodes and says where the rest is', () => {
  const children = Array.from({ length: 3000 }, (_, i) => node(`trail/attestation:${i}`));
  const { markup } = explanationTree(node('trail', { children }), new Set());
  expect(markup.match(/<details/g)).toHaveLength(2000);
  expect(markup).toContain('records/explanation.json');
  expect(explanationTree(node('trail'), new Set()).markup).not.toContain('records/explanation.json');
});
