import type { Explanation } from '@waymark/compliance';
import { expect, it } from 'vitest';
import { nodeLabel, requiredTypes } from './node-label.ts';

const required = requiredTypes({
  version: 1,
  trail: {
    attestations: [{ name: 'ticket', type: '*' }],
    artifacts: [{ name: 'web', attestations: [{ name: 'unit', type: 'junit' }] }],
  },
});

function labelOf(kind: Explanation['kind'], id: string, type?: string): string {
  const found =
    type === undefined ? [] : [{ kind: 'attestation' as const, id: 'x', name: 'n', type, isCompliant: true, at: 1 }];
  const status = type === undefined ? 'MISSING' : 'COMPLIANT';
  const node = { id, kind, status, needs: '', because: '', fix: null, since: null, found, children: [] } as const;
  return nodeLabel(node, 'release-1', required).markup.replace(/<[^>]*>/g, '');
}

it.each([
  ['trail', 'trail', undefined, 'Trail release-1'],
  ['artifact', 'trail/artifact:web', undefined, 'Artifact web'],
  ['artifact', `trail/artifact:a@b.tgz@${'f'.repeat(64)}`, undefined, 'Artifact a@b.tgz ffffffffffff'],
  ['artifact', 'trail/artifact:web@01a2b3c4-0000-7000-8000-000000000000', undefined, 'Artifact web'],
  ['attestation', 'trail/attestation:ticket', undefined, 'Attestation ticket of any type'],
  ['attestation', 'trail/attestation:ticket', 'jira', 'Attestation ticket of type jira'],
  ['attestation', 'trail/artifact:web/attestation:unit', undefined, 'Attestation unit of type junit'],
  [
    'attestation',
    'trail/artifact:x/attestation:y@1/attestation:lint:custom:l',
    'custom:l',
    'Attestation lint of type custom:l',
  ],
  [
    'unplaced',
    `trail/unplaced:wbe@${'1'.repeat(40)}/attestation:lint:generic`,
    'generic',
    'Attestation lint of type generic on artifact wbe of commit 1111111',
  ],
  [
    'unplaced',
    `trail/unplaced:${'e'.repeat(64)}/attestation:lint:generic`,
    'generic',
    'Attestation lint of type generic on fingerprint eeeeeeeeeeee',
  ],
] as const)('%s %s of type %s: %4$s', (kind, id, type, label) => {
  expect(labelOf(kind, id, type)).toBe(label);
});
