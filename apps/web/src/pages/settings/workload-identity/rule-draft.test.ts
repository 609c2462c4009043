import { expect, it } from 'vitest';
import { claimsOf, isWide, nameOf, type RuleDraft, readClaims, summaryOf } from './rule-draft.ts';

const github: RuleDraft = {
  provider: 'github',
  path: 'acme/web',
  id: ' 1296269 ',
  refKind: 'branch',
  ref: 'main',
  environment: '',
  isProtected: false,
};
const gitlab: RuleDraft = { ...github, provider: 'gitlab', path: 'acme/shop/web', id: '20' };

it('requires the number besides the name on GitHub', () => {
  expect(claimsOf(github)).toEqual({ repository_id: '1296269', repository: 'acme/web', ref: 'refs/heads/main' });
  expect(claimsOf({ ...github, refKind: 'tag', ref: 'v*', environment: 'production' })).toEqual({
    repository_id: '1296269',
    repository: 'acme/web',
    ref: 'refs/tags/v*',
    environment: 'production',
  });
});

it('requires the kind of a ref besides its name on GitLab', () => {
  expect(claimsOf({ ...gitlab, isProtected: true })).toEqual({
    project_id: '20',
    project_path: 'acme/shop/web',
    ref: 'main',
    ref_type: 'branch',
    ref_protected: 'true',
  });
  expect(claimsOf({ ...gitlab, refKind: 'any' })).toEqual({ project_id: '20', project_path: 'acme/shop/web' });
});

it('detects a rule that accepts everybody', () => {
  expect(isWide({ ...github, refKind: 'any' })).toBe(true);
  expect(isWide({ ...github, refKind: 'any', environment: 'production' })).toBe(false);
  expect(isWide({ ...gitlab, refKind: 'any', isProtected: true })).toBe(false);
  expect(isWide({ ...github, refKind: 'any', isProtected: true })).toBe(true);
});

it('suggests a name that the server accepts', () => {
  expect(nameOf({ ...github, refKind: 'tag', ref: 'v*', environment: 'prod eu' })).toBe('acme-web-v-prod-eu');
});

it('summarizes the rule', () => {
  expect(summaryOf({ ...gitlab, isProtected: true })).toBe(
    'Jobs of acme/shop/web, of the branch main, if it is protected',
  );
  expect(summaryOf({ ...github, refKind: 'any' })).toBe('Jobs of acme/web, of every branch and tag');
});

it('reads claims line by line', () => {
  expect(readClaims('sub=a=b\n\n ref = main ')).toEqual({ claims: {}, wrong: ' ref = main ' });
  expect(readClaims('sub=a=b\nref=main')).toEqual({ claims: { sub: 'a=b', ref: 'main' }, wrong: undefined });
  expect(readClaims('nonsense').wrong).toBe('nonsense');
});
