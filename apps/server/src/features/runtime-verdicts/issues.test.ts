import { expect, it } from 'vitest';
import { issuesOf } from './issues.ts';

const one = (issue_fields?: Record<string, unknown> | null) =>
  issuesOf({
    jira_results: [{ issue_id: 'A-1', issue_exists: true, ...(issue_fields !== undefined && { issue_fields }) }],
  });

it.each([
  ['the name of a status', { status: 'Done' }, 'Done'],
  ['a status as Jira sends it', { status: { id: '3', name: 'In Review' } }, 'In Review'],
  ['the beginning of a very long one', { status: 'x'.repeat(300) }, 'x'.repeat(255)],
])('reads %s', (_, fields, status) => {
  expect(one(fields)).toEqual([{ key: 'A-1', exists: true, status }]);
});

it.each([
  ['no fields', undefined],
  ['fields that are null', null],
  ['fields without a status', { summary: 'Slow' }],
  ['a status that is no text', { status: 7 }],
  ['a status that is null', { status: null }],
  ['an object without a name', { status: { id: '3' } }],
])('reads nothing of %s', (_, fields) => {
  expect(one(fields)).toBeUndefined();
});

it('keeps issues without a status beside one that has one', () => {
  const issues = issuesOf({
    jira_results: [
      { issue_id: 'A-1', issue_exists: true, issue_fields: { status: 'Done' } },
      { issue_id: 'A-2', issue_exists: false },
    ],
  });
  expect(issues).toEqual([
    { key: 'A-1', exists: true, status: 'Done' },
    { key: 'A-2', exists: false },
  ]);
  expect(issuesOf({})).toBeUndefined();
});
