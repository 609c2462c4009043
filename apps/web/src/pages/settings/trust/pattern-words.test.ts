import { describe, expect, it } from 'vitest';
import { patternWords } from './pattern-words.ts';

const OF = 'https://github.com/acme/web/.github/workflows/release.yml';

describe('a pattern for workflows', () => {
  it.each([
    [`${OF}@refs/tags/*`, 'The workflow release.yml in acme/web, from any tag.', 'push such a tag', false],
    [
      `${OF}@refs/heads/*`,
      'The workflow release.yml in acme/web, from any branch without / in its name.',
      'push such a branch',
      false,
    ],
    [`${OF}@refs/heads/**`, 'The workflow release.yml in acme/web, from any branch.', 'push such a branch', false],
    [
      `${OF}@refs/tags/v*`,
      'The workflow release.yml in acme/web, from any ref like refs/tags/v*.',
      'push such a tag',
      false,
    ],
    [
      `${OF}@**`,
      'The workflow release.yml in acme/web, from any branch, tag, or pull request.',
      'open a pull request',
      false,
    ],
    [
      'https://github.com/acme/web/.github/workflows/*@refs/heads/main',
      'Any workflow in acme/web, from refs/heads/main.',
      'push to that branch there can change or add such a workflow',
      true,
    ],
    [
      'https://github.com/acme/*/.github/workflows/release-*.yml@refs/tags/*',
      'Any workflow like release-*.yml in any repository of acme, from any tag.',
      'push such a tag',
      true,
    ],
    [
      'https://github.com/acme/shop-*/.github/workflows/release.yml@refs/tags/*',
      'The workflow release.yml in any repository like shop-* of acme, from any tag.',
      'push such a tag',
      true,
    ],
  ])('%s', (pattern, accepts, consequence, isBroad) => {
    expect(patternWords(pattern)).toEqual({ accepts, consequence: expect.stringContaining(consequence), isBroad });
  });
});

it.each([
  ['*@example.com', 'Any email address at example.com.'],
  [
    'https://github.com/acme/**',
    'Identities that begin with https://github.com/acme/: any workflow in any repository, from any ref.',
  ],
  ['https://gitlab.com/acme/**//.gitlab-ci.yml@*', 'Identities that begin with https://gitlab.com/acme/.'],
  ['**', 'Any identity of the issuer.'],
])('%s is broad', (pattern, accepts) => {
  expect(patternWords(` ${pattern} `)).toMatchObject({ accepts, isBroad: true });
});

it.each(['', 'ada@example.com', `${OF}@refs/heads/main`])('%j is no pattern', (text) => {
  expect(patternWords(text)).toBeUndefined();
});
