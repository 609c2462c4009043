import { expect, it } from 'vitest';
import { counted } from './counted.ts';

it.each([
  [counted(0, 'rule'), '0 rules'],
  [counted(1, 'rule'), '1 rule'],
  [counted(2, 'rule'), '2 rules'],
  [counted(1, 'entry', 'entries'), '1 entry'],
  [counted(2, 'entry', 'entries'), '2 entries'],
])('%s', (text, expected) => {
  expect(text).toBe(expected);
});
