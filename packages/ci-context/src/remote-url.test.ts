import { describe, expect, it } from 'vitest';
import { nameOfPage, pageOfRemote } from './remote-url.ts';
import { commitPage, providerOfHost, pullRequestPage } from './repository-pages.ts';

describe('the page of a repository', () => {
  it.each([
    ['git@github.com:acme/web.git', 'https://github.com/acme/web', 'acme/web'],
    ['git@github.com:/acme/web.git', 'https://github.com/acme/web', 'acme/web'],
    ['ssh://git@git.example.org:7999/acme/web.git', 'https://git.example.org/acme/web', 'acme/web'],
    ['git://git.example.org/acme/web.git', 'https://git.example.org/acme/web', 'acme/web'],
    ['https://github.com/acme/web/', 'https://github.com/acme/web', 'acme/web'],
    ['http://github.com/acme/web', 'https://github.com/acme/web', 'acme/web'],
    ['http://git.example.org:3000/acme/web.git', 'http://git.example.org:3000/acme/web', 'acme/web'],
    ['https://gitlab.com/acme/shop/web.git', 'https://gitlab.com/acme/shop/web', 'acme/shop/web'],
    ['git@ssh.dev.azure.com:v3/acme/Web%20Shop/web', 'https://dev.azure.com/acme/Web%20Shop/_git/web', 'Web Shop/web'],
    ['https://acme@dev.azure.com/acme/Shop/_git/web', 'https://dev.azure.com/acme/Shop/_git/web', 'Shop/web'],
    ['https://acme.visualstudio.com/Shop/_git/web', 'https://acme.visualstudio.com/Shop/_git/web', 'Shop/web'],
    ['https://x-access-token:t0ken@github.com/acme/web?a=b#c', 'https://github.com/acme/web', 'acme/web'],
  ])('of %s is %s', (remote, page, name) => {
    expect(pageOfRemote(remote)).toBe(page);
    expect(nameOfPage(page)).toBe(name);
  });

  it.each([
    '/srv/git/web.git',
    'C:\\repos\\web',
    'file:///srv/web.git',
    '../web',
    'https://',
    'arn:aws:s3:::bucket/x',
    '',
  ])('is unknown for %j', (remote) => {
    expect(pageOfRemote(remote)).toBeUndefined();
  });
});

describe('other pages', () => {
  const commit = 'b'.repeat(40);
  it.each([
    ['https://github.com/acme/web', 'github', `/commit/${commit}`, '/pull/7'],
    ['https://gitlab.com/acme/web', 'gitlab', `/-/commit/${commit}`, '/-/merge_requests/7'],
    ['https://bitbucket.org/acme/web', 'bitbucket_cloud', `/commits/${commit}`, '/pull-requests/7'],
    ['https://dev.azure.com/acme/Shop/_git/web', 'azure_devops_services', `/commit/${commit}`, '/pullrequest/7'],
    ['https://codeberg.org/acme/web', 'forgejo', `/commit/${commit}`, '/pulls/7'],
  ])('of %s are those of %s', (url, provider, commitPath, requestPath) => {
    expect(providerOfHost(url)).toBe(provider);
    expect(commitPage(url, provider, commit)).toBe(url + commitPath);
    expect(pullRequestPage(url, provider, '7')).toBe(url + requestPath);
  });

  it('are guessed for commits only, on an unknown forge', () => {
    expect(providerOfHost('https://git.example.org/acme/web')).toBeUndefined();
    expect(commitPage('https://git.example.org/acme/web', undefined, commit)).toContain('/commit/');
    expect(pullRequestPage('https://git.example.org/acme/web', undefined, '7')).toBeUndefined();
  });
});
