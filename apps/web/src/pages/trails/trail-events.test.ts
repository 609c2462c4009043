import { expect, test } from 'vitest';
import { happenedOf } from './trail-events.ts';

const attested = (name: string, timestamp: number, more: object = {}) =>
  happenedOf({
    type: 'artifact_attestation_reported',
    timestamp,
    user: 'ci',
    attestation_id: `id-${name}-${timestamp}`,
    attestation_type: 'junit',
    template_reference_name: name,
    target_artifact: 'web',
    is_compliant: true,
    ...more,
  });

test('attestations, artifacts, approvals and changes of the trail each have a description', () => {
  expect(attested('tests', 5, { is_compliant: false })).toMatchObject({
    kind: 'attestation',
    name: 'tests',
    about: 'web',
    state: 'non-compliant',
  });
  expect(attested('tests', 5, { attestation_type: 'override' }).state).toBe('waived');
  const artifact = { type: 'artifact_creation_reported', timestamp: 1, user: 'ci', artifact_name: 'web.tgz' };
  expect(happenedOf(artifact)).toMatchObject({ kind: 'artifact', name: 'web.tgz', state: null });
  const approval = { type: 'artifact_approval_reported', timestamp: 1, user: 'ci', state: 'APPROVED', reviewer: 'bo' };
  expect(happenedOf(approval)).toMatchObject({ kind: 'approval', name: 'bo', what: 'Approval: approved' });
  const changed = { type: 'trail_changed', timestamp: 1, user: 'ci', changes: ['git_commit_info'] };
  expect(happenedOf(changed)).toMatchObject({ kind: 'trail', what: 'Trail changed: git commit info' });
});
