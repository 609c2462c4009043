import { expect, test } from 'vitest';
import { counted, predicateName, pullRequestName, typeWords } from './summary.ts';

test('a pull request is known by its number', () => {
  expect(pullRequestName('https://git.example.com/acme/web/pull/812')).toBe('PR 812');
  expect(pullRequestName('https://git.example.com/acme/web/-/merge_requests/7/?x=9')).toBe('PR 7');
  expect(pullRequestName('javascript:alert(1)')).toBe('Pull request');
});

test('a predicate is known by its last telling part', () => {
  expect(predicateName('https://slsa.dev/provenance/v1')).toBe('provenance v1');
  expect(predicateName('https://cyclonedx.org/bom')).toBe('bom');
  expect(predicateName('own')).toBe('own');
});

test('types and counts in words', () => {
  expect(typeWords('custom:load-test')).toBe('load-test');
  expect(typeWords('pull_request')).toBe('Pull request');
  expect(typeWords('new_kind')).toBe('new_kind');
  expect([counted(1, 'test'), counted(1200, 'test')]).toEqual(['1 test', '1,200 tests']);
});
