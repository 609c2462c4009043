import type { Role } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { verbsOf } from './verbs.ts';

const labelsFor = (role: Role | undefined, path = '/acme', isShared = true) =>
  verbsOf({ org: 'acme', role, isShared, path }).map(({ label }) => label);

describe('the verbs of the palette', () => {
  it('are those that the role permits', () => {
    expect(labelsFor('admin')).toEqual([
      'Create environment',
      'Create flow',
      'Create policy',
      'Create control',
      'Create environment notification',
      'Create flow notification',
      'Invite member',
      'Create service account',
      'Create key',
    ]);
    expect(labelsFor('member')).not.toContain('Invite member');
    expect(labelsFor('member')).toContain('Create policy');
    expect(labelsFor('snapshotter')).toEqual(['Create environment', 'Create key']);
    expect(labelsFor('reader')).toEqual(['Create key']);
    expect(labelsFor(undefined)).toEqual([]);
  });

  it('leave out members and service accounts in a personal org', () => {
    expect(labelsFor('admin', '/ada', false).join()).not.toMatch(/member|service account/);
  });

  it('attach a policy on the pages of an environment and of a policy', () => {
    const first = (path: string, role: Role = 'member') => verbsOf({ org: 'acme', role, isShared: true, path })[0];
    expect(first('/acme/environments/prod%201/timeline')).toMatchObject({
      label: 'Attach policy to prod 1',
      href: '/acme/environments/prod%201/policies?open=attach-policy',
    });
    expect(first('/acme/policies/baseline')).toMatchObject({
      label: 'Attach policy baseline',
      href: '/acme/policies/baseline?open=attach-policy',
    });
    for (const path of ['/acme/policies/new', '/acme/environments', '/acme/policies/%'])
      expect(first(path)?.label).toBe('Create environment');
    expect(first('/acme/policies/baseline', 'reader')?.label).toBe('Create key');
  });
});
