import { describe, expect, it } from 'vitest';
import { placeIn } from './yaml-place.ts';

const TEXT = `_schema: https://example.com/policy/v1
artifacts:
  provenance:
    required: true
    exceptions:
      - if: x

  # what must be there
  attestations:
    - name: unit-tests
      type: junit`.split('\n');

describe('the place in a text', () => {
  it('is the outermost level without indentation', () => {
    expect(placeIn(TEXT, 'art')).toEqual({ path: [], key: undefined, typed: 'art' });
  });

  it('is below the keys that are indented less', () => {
    expect(placeIn(TEXT.slice(0, 3), '    req')).toEqual({
      path: ['artifacts', 'provenance'],
      key: undefined,
      typed: 'req',
    });
  });

  it('is in an item of a list, whether on its first line or a later one', () => {
    const path = ['artifacts', 'attestations', '[]'];
    expect(placeIn(TEXT, '    - na')).toEqual({ path, key: undefined, typed: 'na' });
    expect(placeIn(TEXT, '      for')).toEqual({ path, key: undefined, typed: 'for' });
  });

  it('is in the list of a key with the same indentation', () => {
    expect(placeIn(['artifacts:', '  attestations:', '  - name: a'], '  - t').path).toEqual([
      'artifacts',
      'attestations',
      '[]',
    ]);
  });

  it('names the key whose value is being written', () => {
    expect(placeIn(TEXT.slice(0, 10), '      type: ju')).toEqual({
      path: ['artifacts', 'attestations', '[]'],
      key: 'type',
      typed: 'ju',
    });
    expect(placeIn(TEXT.slice(0, 9), '    - type: ')).toMatchObject({ key: 'type', typed: '' });
  });

  it('is not misled by comments and blank lines', () => {
    expect(placeIn(TEXT.slice(0, 8), '  at').path).toEqual(['artifacts']);
  });
});
