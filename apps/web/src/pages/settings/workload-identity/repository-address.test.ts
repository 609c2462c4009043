import { expect, it } from 'vitest';
import { idCommand, issuerOf, readRepository } from './repository-address.ts';

it.each([
  ['https://github.com/acme/web', 'github.com', 'acme/web', 'github'],
  ['https://github.com/acme/web.git', 'github.com', 'acme/web', 'github'],
  ['https://github.com/acme/web/tree/main/src', 'github.com', 'acme/web', 'github'],
  [' github.com/acme/web ', 'github.com', 'acme/web', 'github'],
  ['git@github.com:acme/web.git', 'github.com', 'acme/web', 'github'],
  ['ssh://git@gitlab.com/acme/shop/web.git', 'gitlab.com', 'acme/shop/web', 'gitlab'],
  ['https://gitlab.com/acme/shop/web/-/tree/main', 'gitlab.com', 'acme/shop/web', 'gitlab'],
  ['git@git.example.com:acme/web.git', 'git.example.com', 'acme/web', undefined],
  ['https://user:secret@gitlab.example.com/acme/web', 'gitlab.example.com', 'acme/web', 'gitlab'],
])('reads %s', (address, host, path, provider) => {
  expect(readRepository(address)).toEqual({ host, path, provider });
});

it.each(['', 'acme/web', 'https://github.com/acme', 'https://github.com/acme/we b', 'javascript:alert(1)'])(
  'rejects %j',
  (address) => {
    expect(readRepository(address)).toBeUndefined();
  },
);

it('knows the issuer of each', () => {
  expect(issuerOf('github', 'github.com')).toBe('https://token.actions.githubusercontent.com');
  expect(issuerOf('github', 'acme.ghe.com')).toBe('https://token.actions.acme.ghe.com');
  expect(issuerOf('github', 'git.example.com')).toBe('https://git.example.com/_services/token');
  expect(issuerOf('gitlab', 'gitlab.example.com')).toBe('https://gitlab.example.com');
});

it('has the command for the number', () => {
  expect(idCommand('github', 'github.com', 'acme/web')).toBe('gh api repos/acme/web --jq .id');
  expect(idCommand('gitlab', 'gitlab.com', 'acme/shop/web')).toBe('glab api projects/acme%2Fshop%2Fweb | jq .id');
});
