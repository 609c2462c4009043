import { expect, it } from 'vitest';
import { growthOf, IN_PROPORTION } from '../../../../../tools/growth.ts';
import { boundaryOf, dispositionOf } from './part-headers.ts';

it.each([
  ['multipart/form-data; boundary=abc', 'abc'],
  ['multipart/form-data;boundary="a b"', 'a b'],
  ['multipart/form-data; charset=utf-8; Boundary=x-1; other="y;z"', 'x-1'],
  [`multipart/form-data; boundary=${'b'.repeat(70)}`, 'b'.repeat(70)],
  [`multipart/form-data; boundary=${'b'.repeat(71)}`, undefined],
  ['multipart/form-data', undefined],
  ['multipart/form-data; boundary=', undefined],
  ['multipart/form-data; boundary="abc', undefined],
  ['multipart/form-data; boundary="abc "', undefined],
  ['multipart/form-data; boundary=\xff', undefined],
  ['multipart/form-data; boundary=a; boundary=b', undefined],
  ["multipart/form-data; boundary*=utf-8''abc", undefined],
])('finds the boundary in %j', (contentType, boundary) => {
  expect(boundaryOf(contentType)).toBe(boundary);
});

it.each([
  ['Content-Disposition: form-data; name="a"', { name: 'a', filename: undefined }],
  ['content-disposition:form-data;name=a;filename=b.txt', { name: 'a', filename: 'b.txt' }],
  ['X: y\r\nContent-Disposition: form-data; name="a"; filename=""', { name: 'a', filename: '' }],
  [
    String.raw`Content-Disposition: form-data; name="a"; filename="say \"hi\".txt"`,
    { name: 'a', filename: 'say "hi".txt' },
  ],
  [
    String.raw`Content-Disposition: form-data; name="a"; filename="..\up.txt"`,
    { name: 'a', filename: String.raw`..\up.txt` },
  ],
  ['Content-Disposition: form-data; name="a"; filename="../up.txt"', { name: 'a', filename: '../up.txt' }],
  ['Content-Disposition: form-data; name="a"; filename="naïve; ☃.txt"', { name: 'a', filename: 'naïve; ☃.txt' }],
  ['Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: binary', { name: 'a', filename: undefined }],
  ['Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64', undefined],
  ['Content-Disposition: form-data; name="a"; name="b"', undefined],
  ['Content-Disposition: form-data; name="a"; filename="b"; filename="c"', undefined],
  ['Content-Disposition: form-data; name="a"\r\nContent-Disposition: form-data; name="b"', undefined],
  ['Content-Disposition: form-data; name="a', undefined],
  ['Content-Disposition: form-data; name="a"x', undefined],
  ['Content-Disposition: form-data', undefined],
  ['Content-Disposition: attachment; name="a"', undefined],
  ['Content-Disposition', undefined],
  ['Content-Disposition : form-data; name="a"', undefined],
  ['', undefined],
])('reads %j', (headers, disposition) => {
  expect(dispositionOf(Buffer.from(`\r\n${headers}`))).toEqual(disposition);
});

it('refuses headers that are not UTF-8', () => {
  expect(dispositionOf(Buffer.from('\r\nContent-Disposition: form-data; name="\xff"', 'latin1'))).toBeUndefined();
});

it.each([' ', '\t', '"', '\\', ';', '; a=', '="\\', ' ;\t'])('reads %j in proportion to their number', (piece) => {
  const workOf = (size: number) => {
    const hostile = piece.repeat(size / piece.length);
    const headers = Buffer.from(`\r\nContent-Disposition: form-data; name=a${hostile}b`);
    return () => [dispositionOf(headers), boundaryOf(`multipart/form-data; boundary=a${hostile}b`)];
  };
  expect(growthOf(workOf, 4_000)).toBeLessThan(IN_PROPORTION);
});
