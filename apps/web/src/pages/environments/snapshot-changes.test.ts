import type { DiffArtifact } from '@waymark/contract';
import { expect, it } from 'vitest';
import { changesIn, changeWords, policyChanges } from './snapshot-changes.ts';

const artifact = (name: string, more: Partial<DiffArtifact> = {}): DiffArtifact => ({
  fingerprint: name,
  name,
  previous_name: null,
  flow: 'shop',
  commit_url: '',
  most_recent_timestamp: null,
  instance_count: 1,
  s1_instance_count: null,
  s2_instance_count: null,
  pods: [],
  ...more,
});
const part = (...artifacts: DiffArtifact[]) => ({ snapshot_id: null, artifacts });

it('treats another build of the same artifact as a change', () => {
  const changes = changesIn({
    snappish1: part(artifact('web:1'), artifact('cron:1'), artifact('api:1', { flow: 'other' })),
    snappish2: part(artifact('api:2'), artifact('web:2'), artifact('web:3')),
    changed: part(artifact('db:1', { s1_instance_count: 2, s2_instance_count: 5 })),
    'not-changed': part(artifact('mail:1')),
  });
  expect(changes.changed.map(({ before, after }) => [before.name, after.name])).toEqual([
    ['web:1', 'web:2'],
    ['db:1', 'db:1'],
  ]);
  expect(changes.removed.map(({ name }) => name)).toEqual(['cron:1', 'api:1']);
  expect(changes.added.map(({ name }) => name)).toEqual(['api:2', 'web:3']);
  expect(changes.sameCount).toBe(1);
});

it('describes what differs in an artifact that was not replaced', () => {
  const after = artifact('db:1', { previous_name: 'db', s1_instance_count: 2, s2_instance_count: 5 });
  expect(changeWords({ name: 'db:1', before: { ...after, name: 'db' }, after, isReplaced: false })).toBe(
    'renamed from db, 2 → 5 instances',
  );
});

it('describes how the policies differ', () => {
  const before = [
    { name: 'baseline', version: 1 },
    { name: 'old', version: 4 },
  ];
  const after = [
    { name: 'baseline', version: 2 },
    { name: 'new', version: 1 },
  ];
  expect(policyChanges(before, after)).toEqual([
    'baseline v2 instead of v1',
    'new v1 in the second only',
    'old v4 in the first only',
  ]);
  expect(policyChanges(before, before)).toEqual([]);
});
