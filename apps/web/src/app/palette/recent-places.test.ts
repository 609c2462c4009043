import { describe, expect, it } from 'vitest';
import { RECENT_MAX, readPlaces, withPlace } from './recent-places.ts';

const place = (name: string) => ({ href: `/acme/flows/${name}`, label: name });

describe('recent places', () => {
  it('come newest first, each once', () => {
    expect(withPlace([place('a'), place('b')], place('b'))).toEqual([place('b'), place('a')]);
  });

  it('are eight at most', () => {
    const many = Array.from({ length: RECENT_MAX }, (_, number) => place(`flow-${number}`));
    const after = withPlace(many, place('new'));
    expect(after).toHaveLength(RECENT_MAX);
    expect(after[0]).toEqual(place('new'));
  });

  it('are those of the org, whatever is stored', () => {
    const stored = JSON.stringify([place('a'), { href: '/other/flows/b', label: 'b' }, { href: 'javascript:x' }, 7]);
    expect(readPlaces(stored, 'acme')).toEqual([place('a')]);
    expect(readPlaces('{', 'acme')).toEqual([]);
    expect(readPlaces(null, 'acme')).toEqual([]);
  });
});
