import type { Flip } from '@waymark/contract';
import { expect, it } from 'vitest';
import { groupFlips } from './flip-groups.ts';

const reason = (needs: string, rest: string, resolution = 'missing_attestation') => ({
  policy_name: 'draft',
  policy_version: 0,
  rule: { type: 'attestation', definition: {} },
  resolution,
  flow_name: 'web',
  trail_name: 'r1',
  attestation_name: null,
  message: `Policy 'draft' requires ${needs}. ${rest}`,
  fix: '',
});
const scan = (trail: string) =>
  reason("a compliant attestation named 'v1.2'. Really", `In flow 'web', trail '${trail}', there is none.`);
const tests = (trail: string) =>
  reason('an attestation of type junit', `In flow 'web', trail '${trail}', it fails.`, 'non_compliant_attestation');

const flip = (name: string, reasons: readonly ReturnType<typeof reason>[], to: Flip['to'] = 'non-compliant'): Flip =>
  ({
    environment: 'production',
    snapshot_index: 1,
    until_index: null,
    timestamp: 1,
    artifact: { name, fingerprint: '' },
    from: to === 'compliant' ? 'non-compliant' : 'compliant',
    to,
    evidence: 'recorded',
    reasons,
  }) as Flip;

it('verdicts are together by what their policy requires, whatever the trail, the most frequent cause first', () => {
  const groups = groupFlips([
    flip('a', [tests('r1')]),
    flip('b', [scan('r1')]),
    flip('c', [scan('r2')]),
    flip('d', [tests('r3'), scan('r3')]),
    flip('b', [scan('r9')]),
  ]);
  expect(groups).toMatchObject([
    { cause: "A compliant attestation named 'v1.2'. Really: missing", artifacts: 3, environments: 1 },
    { cause: 'An attestation of type junit: failing', artifacts: 1 },
  ]);
  expect(groups.map(({ flips }) => flips.map(({ artifact }) => artifact.name))).toEqual([['b', 'c', 'd', 'b'], ['a']]);
});

it('what would pass is apart, and an unknown sentence is a cause of its own', () => {
  const odd = { ...tests('r1'), message: 'The artifact was reported to more than 100 flows.' };
  expect(groupFlips([flip('a', [], 'compliant'), flip('b', [odd])]).map(({ cause }) => cause)).toEqual([
    'All requirements would be met',
    'The artifact was reported to more than 100 flows.',
  ]);
});
