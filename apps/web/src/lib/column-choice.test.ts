import { expect, it } from 'vitest';
import { readHidden, toggled } from './column-choice.ts';

it('hides a column and shows it again, for one table of one org', () => {
  const one = toggled({}, 'acme/flows', 'tags');
  const two = toggled(one, 'other/flows', 'tags');
  expect(two).toEqual({ 'acme/flows': ['tags'], 'other/flows': ['tags'] });
  expect(toggled(two, 'acme/flows', 'state')).toEqual({ 'acme/flows': ['tags', 'state'], 'other/flows': ['tags'] });
  expect(toggled(two, 'acme/flows', 'tags')).toEqual({ 'other/flows': ['tags'] });
});

it.each([null, '', '{', 'null', '7', '"x"', '[]', '{"acme/flows":"tags"}', '{"acme/flows":[1]}'])(
  'hides nothing when the browser stored %s',
  (text) => expect(readHidden(text)).toEqual({}),
);

it('reads what was stored', () => {
  const hidden = { 'acme/flows': ['tags'] };
  expect(readHidden(JSON.stringify(hidden))).toEqual(hidden);
});
