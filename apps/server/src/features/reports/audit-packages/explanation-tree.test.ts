import type { Explanation } from '@waymark/compliance';
import { expect, it } from 'vitest';
import { explanationTree, type Surroundings } from './explanation-tree.ts';

const AROUND: Surroundings = {
  trailName: 't',
  required: new Map(),
  packaged: new Set(),
  overrides: new Map(),
  medium: 'package',
};

function node(id: string, more: Partial<Explanation> = {}): Explanation {
  const base = { kind: 'attestation', status: 'COMPLIANT', needs: 'n', because: 'b', fix: null, since: null } as const;
  return { id, ...base, found: [], children: [], ...more };
}

it('collapses what is met and opens what is not', () => {
  const root = node('trail', { status: 'MISSING', fix: 'Report it.', children: [node('trail/attestation:a<b')] });
  const { markup } = explanationTree(root, AROUND);
  expect(markup.match(/<details open>/g)).toHaveLength(1);
  expect(markup.match(/<details>/g)).toHaveLength(1);
  expect(markup).toContain('Attestation <bdi>a&lt;b</bdi>');
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
  const { markup } = explanationTree(root, { ...AROUND, packaged: new Set(['in']) });
  expect([...markup.matchAll(/href="([^"]*)"/g)].map(([, path]) => path)).toEqual(['records/artifacts/in.json']);
});

it('stops at 2,000 nodes and says where the rest is', () => {
  const children = Array.from({ length: 3000 }, (_, i) => node(`trail/attestation:${i}`));
  const { markup } = explanationTree(node('trail', { children }), AROUND);
  expect(markup.match(/<details/g)).toHaveLength(2000);
  expect(markup).toContain('records/explanation.json');
  expect(explanationTree(node('trail'), AROUND).markup).not.toContain('records/explanation.json');
});

it('leaves out the reason of the root, which the page has already', () => {
  const root = node('trail', { because: 'of the root', children: [node('trail/attestation:a', { because: 'of a' })] });
  const { markup } = explanationTree(root, AROUND);
  expect(markup).not.toContain('of the root');
  expect(markup).toContain('<span class="quiet">because</span> of a');
});

it('opens the path to an override, and links what it replaced', () => {
  const found = { kind: 'attestation', name: 'scan', type: 'snyk', isCompliant: true, at: 1 } as const;
  const overridden = node('trail/artifact:web/attestation:scan', { found: [{ ...found, id: 'override' }] });
  const other = node('trail/artifact:web/attestation:unit', { found: [{ ...found, id: 'plain' }] });
  const artifact = node('trail/artifact:web', { kind: 'artifact', children: [overridden, other] });
  const root = node('trail', { kind: 'trail', children: [artifact] });
  const overrides = new Map([['override', 'original']]);
  const { markup } = explanationTree(root, { ...AROUND, overrides, packaged: new Set(['override', 'original']) });
  expect(markup.match(/<details open>/g)).toHaveLength(3);
  expect(markup.match(/<details>/g)).toHaveLength(1);
  expect([...markup.matchAll(/href="([^"]*)"/g)].map(([, path]) => path)).toEqual([
    'records/attestations/override.json',
    'records/attestations/original.json',
  ]);
});
