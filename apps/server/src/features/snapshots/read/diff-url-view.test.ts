import { describe, expect, it } from 'vitest';
import { commitPageOf, diffUrl } from './diff-url-view.ts';

const urlOf = (previous: string, current: string) => diffUrl(commitPageOf(previous), commitPageOf(current));

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);

describe('the page that compares two commits', () => {
  it.each([
    ['https://github.com/acme/shop/commit/', `https://github.com/acme/shop/compare/${A}...${B}`],
    ['https://gitlab.com/acme/eu/shop/-/commit/', `https://gitlab.com/acme/eu/shop/-/compare/${A}...${B}`],
    ['https://bitbucket.org/acme/shop/commits/', `https://bitbucket.org/acme/shop/branches/compare/${B}..${A}#diff`],
  ])('is that of the host of %s', (pages, expected) => {
    expect(urlOf(pages + A, pages + B)).toBe(expected);
    expect(urlOf(`${pages}${A}?w=1`, `${pages}${B}/`)).toBe(expected);
  });

  it.each([
    ['another repository', `https://github.com/acme/shop/commit/${A}`, `https://github.com/acme/till/commit/${B}`],
    ['another host', `https://github.com/acme/shop/commit/${A}`, `https://gitlab.com/acme/shop/-/commit/${B}`],
    ['the same commit', `https://github.com/acme/shop/commit/${A}`, `https://github.com/acme/shop/commit/${A}`],
    ['no page of a commit', `https://git.example.com/${A}`, `https://git.example.com/${B}`],
    [
      'a commit within something else',
      `https://github.com/a/b/pull/5/commits/${A}`,
      `https://github.com/a/b/pull/5/commits/${B}`,
    ],
    ['an address that is no web page', `javascript:alert(1)/x/commit/${A}`, `javascript:alert(1)/x/commit/${B}`],
    ['no address', '', `https://github.com/acme/shop/commit/${B}`],
  ])('is not known for %s', (_, previous, current) => {
    expect(urlOf(previous, current)).toBe('');
  });
});
