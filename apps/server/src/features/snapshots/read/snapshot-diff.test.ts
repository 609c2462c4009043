import { describe, expect, it } from 'vitest';
import { diffOf, type RunningArtifact } from './snapshot-diff.ts';

const running = (name: string, fingerprint: string, more: Partial<RunningArtifact> = {}): RunningArtifact => ({
  name,
  fingerprint,
  count: 1,
  timestamps: [100],
  pods: [],
  flow: 'build',
  commitUrl: 'https://git.example.com/1',
  ...more,
});

describe('the difference of two snapshots', () => {
  it('adds up the instances of one fingerprint under several names', () => {
    const one = [
      running('api', 'f1', { count: 2, timestamps: [5, 9] }),
      running('api-copy', 'f1', { timestamps: [7] }),
    ];
    const { notChanged, ...others } = diffOf(one, one.toReversed());
    expect(others).toEqual({ onlyFirst: [], onlySecond: [], changed: [] });
    expect(notChanged).toMatchObject([
      {
        name: 'api-copy',
        fingerprint: 'f1',
        instance_count: 3,
        s1_instance_count: null,
        s2_instance_count: null,
        most_recent_timestamp: 9,
      },
    ]);
  });

  it('treats the same fingerprint under another name as changed', () => {
    const { changed } = diffOf([running('api', 'f1')], [running('app', 'f1', { pods: ['b', 'a'], timestamps: [] })]);
    expect(changed).toEqual([
      {
        fingerprint: 'f1',
        name: 'app',
        previous_name: 'api',
        flow: 'build',
        commit_url: 'https://git.example.com/1',
        most_recent_timestamp: null,
        instance_count: null,
        s1_instance_count: 1,
        s2_instance_count: 1,
        pods: ['a', 'b'],
      },
    ]);
  });

  it('shows the previous name only where the current one is new', () => {
    const before = [running('api', 'f1'), running('web', 'f1')];
    const namesIn = (after: RunningArtifact[]) =>
      diffOf(before, after).changed.map((one) => [one.name, one.previous_name]);
    expect(namesIn([running('new', 'f1'), running('web', 'f1')])).toEqual([['new', 'api']]);
    expect(namesIn([running('web', 'f1'), running('zoo', 'f1')])).toEqual([['web', null]]);
    expect(namesIn([running('api', 'f1')])).toEqual([['api', null]]);
  });

  it('matches unidentified artifacts by name', () => {
    const { notChanged, onlyFirst, onlySecond } = diffOf(
      [running('sidecar', ''), running('old', '')],
      [running('sidecar', ''), running('new', '')],
    );
    expect(notChanged.map(({ name }) => name)).toEqual(['sidecar']);
    expect(onlyFirst).toMatchObject([
      { name: 'old', instance_count: 1, s1_instance_count: 1, s2_instance_count: null },
    ]);
    expect(onlySecond).toMatchObject([
      { name: 'new', instance_count: 1, s1_instance_count: null, s2_instance_count: 1 },
    ]);
  });
});
