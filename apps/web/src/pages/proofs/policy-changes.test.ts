import { expect, it } from 'vitest';
import { isSamePolicy, policyChanges } from './policy-changes.ts';

const POLICY = '# of 2026\nlog waymark.example/eu/1+aa+AbCd\n\nquorum none\n';

it('comments, blank lines, and spaces are no change', () => {
  expect(isSamePolicy(POLICY, 'log  waymark.example/eu/1+aa+AbCd\nquorum none')).toBe(true);
});

it('a URL that changed is no change of trust', () => {
  expect(isSamePolicy('log a+aa+b https://old.example\nwitness w k u\n', 'log a+aa+b\nwitness w k v\n')).toBe(true);
});

it('another key is a line that was added and one that was removed', () => {
  expect(policyChanges(POLICY, POLICY.replace('AbCd', 'EfGh'))).toEqual({
    added: ['log waymark.example/eu/1+aa+EfGh'],
    removed: ['log waymark.example/eu/1+aa+AbCd'],
  });
});

it('a quorum that was lowered is a change', () => {
  expect(isSamePolicy('quorum both\n', 'quorum none\n')).toBe(false);
});
