import type { MatrixCell } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { driftOf, versionOf } from './matrix-rows.ts';

function cell(changes: Partial<MatrixCell> = {}): MatrixCell {
  return {
    fingerprint: 'a'.repeat(64),
    artifact_name: 'ghcr.io/acme/web:1.9.1',
    git_commit: 'b'.repeat(40),
    trail_name: 'web-1',
    since: 1,
    compliance: 'compliant',
    others: 0,
    ...changes,
  };
}

describe('the version in a cell', () => {
  it.each([
    [{}, '1.9.1'],
    [{ artifact_name: `host:5000/web:2@sha256:${'a'.repeat(64)}` }, '2'],
    [{ artifact_name: 'host:5000/web' }, 'bbbbbbb'],
    [{ artifact_name: 'web.jar', git_commit: '' }, 'aaaaaaa'],
    [{ artifact_name: 'web.jar', git_commit: 'unknown', fingerprint: '' }, 'not identified'],
  ])('of %j is %s', (changes, version) => {
    expect(versionOf(cell(changes))).toBe(version);
  });
});

describe('drift', () => {
  const environments = [{ name: 'dev' }, { name: 'staging' }, { name: 'prod' }];

  it('compares with the first environment that runs the service', () => {
    const cells = [null, cell(), cell({ fingerprint: 'c'.repeat(64) })];
    expect(driftOf({ service: 'web', flow_name: 'web', cells, drift: true }, environments)).toEqual({
      versions: 2,
      places: 2,
      against: 'staging',
      differs: [false, false, true],
    });
  });

  it('is what the server says', () => {
    expect(driftOf({ service: 'web', flow_name: '', cells: [cell(), cell()], drift: false }, environments)).toBeNull();
    expect(driftOf({ service: 'web', flow_name: '', cells: [null], drift: true }, environments)).toBeNull();
  });
});
