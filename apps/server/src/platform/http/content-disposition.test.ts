import { expect, it } from 'vitest';
import { attachmentNamed } from './content-disposition.ts';

it.each([
  ['evidence.tgz', 'attachment; filename="evidence.tgz"'],
  ['two words.txt', 'attachment; filename="two words.txt"'],
  ['naïve ☃.txt', `attachment; filename="na_ve _.txt"; filename*=UTF-8''na%C3%AFve%20%E2%98%83.txt`],
  ['💩', `attachment; filename="_"; filename*=UTF-8''%F0%9F%92%A9`],
  ['a"b\\c', `attachment; filename="a_b_c"; filename*=UTF-8''a%22b%5Cc`],
  ["50% (it's) *", `attachment; filename="50_ (it's) *"; filename*=UTF-8''50%25%20%28it%27s%29%20%2A`],
  ['a\r\nX: y', `attachment; filename="a__X: y"; filename*=UTF-8''a%0D%0AX%3A%20y`],
  ['half \ud83d', `attachment; filename="half _"; filename*=UTF-8''half%20%EF%BF%BD`],
])('names %j', (filename, header) => {
  expect(attachmentNamed(filename)).toBe(header);
});
