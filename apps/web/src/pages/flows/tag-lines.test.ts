import { expect, test } from 'vitest';
import { tagChanges, tagLines } from './tag-lines.ts';

test('unchanged tags are not sent', () => {
  const before = { team: 'red', risk: 'low', old: '' };
  expect(tagChanges(before, tagLines(before))).toEqual({ set_tags: {}, remove_tags: [] });
});

test('lines are set, and missing ones are removed', () => {
  const before = { team: 'red', risk: 'low' };
  expect(tagChanges(before, 'team = blue\n\nurl=https://a.example/?x=1\nflag')).toEqual({
    set_tags: { team: 'blue', url: 'https://a.example/?x=1', flag: '' },
    remove_tags: ['risk'],
  });
});
