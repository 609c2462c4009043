import { describe, expect, it } from 'vitest';
import { nextCursor } from './next-cursor.ts';

describe('the cursor of the next page', () => {
  it('is read from the link', () => {
    const link =
      '<https://waymark.example.org/api/v2/organizations/acme/deliveries?state=failed&after=a%2Fb.1>; rel="next"';
    expect(nextCursor(link)).toBe('a/b.1');
  });

  it('is not that of another page', () => {
    expect(nextCursor('</x?after=one>; rel="prev", </x?after=two>; rel="next"')).toBe('two');
    expect(nextCursor('</x?after=one>; rel="prev"')).toBeNull();
  });

  it('is nothing on the last page', () => {
    expect(nextCursor(null)).toBeNull();
    expect(nextCursor('</x>; rel="next"')).toBeNull();
  });
});
