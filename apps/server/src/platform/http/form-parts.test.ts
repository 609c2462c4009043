import { expect, it } from 'vitest';
import { atMost, brokenForm, collect, formParts } from './form-parts.ts';

const disposition = (name: string) => `Content-Disposition: form-data; name="${name}"`;
const whole = [
  'a preamble\r\n',
  `--b\r\n${disposition('json')}\r\n\r\n{"a":1}\r\n`,
  `--b\r\n${disposition('file')}; filename="x.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`,
  '\r\n--\r\n--a\r\n\r\n-b\r\n\r\n',
  '--b--\r\nan epilogue',
].join('');

async function* piecesOf(text: string, length: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function read(text: string, length = text.length || 1): Promise<[string, string | undefined, string][]> {
  const parts: [string, string | undefined, string][] = [];
  for await (const { name, filename, content } of formParts(piecesOf(text, length), 'b')) {
    parts.push([name, filename, (await collect(content)).toString('latin1')]);
  }
  return parts;
}

it.each([1, 2, 3, 5, 7, 11, 64, 1000])('reads a form that comes %i bytes at a time', async (length) => {
  expect(await read(whole, length)).toEqual([
    ['json', undefined, '{"a":1}'],
    ['file', 'x.bin', '\r\n--\r\n--a\r\n\r\n-b\r\n'],
  ]);
});

it('reads parts that are empty, and a form without any', async () => {
  expect(await read(`--b\r\n${disposition('a')}\r\n\r\n\r\n--b--`)).toEqual([['a', undefined, '']]);
  expect(await read('--b--')).toEqual([]);
});

it('takes no more from the sender than it is asked for', async () => {
  let given = 0;
  async function* sender() {
    yield Buffer.from(`--b\r\n${disposition('file')}\r\n\r\n`);
    for (; given < 100; given++) yield Buffer.alloc(1000);
    yield Buffer.from('\r\n--b--');
  }
  const parts = formParts(sender(), 'b');
  const { content } = (await parts.next()).value ?? {};
  expect(given).toBe(0);
  for (let asked = 0; asked < 5; asked++) await content?.next();
  expect(given).toBeLessThanOrEqual(5);
});

const head = `--b\r\n${disposition('a')}\r\n`;
it.each([
  ['nothing', ''],
  ['no boundary', 'hello'],
  ['another boundary', whole.replaceAll('--b', '--c')],
  ['a boundary with more behind it', `--bx\r\n${disposition('a')}\r\n\r\n{}\r\n--b--`],
  ['no end of the headers', `${head}X: y`],
  ['no end of the content', `${head}\r\n{}`],
  ['no last boundary', `${head}\r\n{}\r\n--b`],
  ['half a last boundary', `${head}\r\n{}\r\n--b-`],
  ['line feeds alone', whole.replaceAll('\r\n', '\n')],
  ['a part without headers', '--b\r\n\r\n{}\r\n--b--'],
  ['a part without a name', '--b\r\nContent-Disposition: form-data\r\n\r\n{}\r\n--b--'],
  ['a part that says twice what it is', `${head}${disposition('b')}\r\n\r\n{}\r\n--b--`],
  ['headers of more than 16 KiB', `${head}X: ${'x'.repeat(16 * 1024)}\r\n\r\n{}\r\n--b--`],
  ['a header that does not end', `${head}X: ${'x'.repeat(100_000)}`],
  ['a preamble of more than 16 KiB', `${'x'.repeat(17 * 1024)}\r\n${head}\r\n{}\r\n--b--`],
  ['an epilogue of more than 16 KiB', `${head}\r\n{}\r\n--b--${'x'.repeat(17 * 1024)}`],
])('refuses a form with %s', async (_, text) => {
  await expect(read(text)).rejects.toEqual(brokenForm());
  await expect(read(text, 7)).rejects.toEqual(brokenForm());
});

it('refuses a form whose sender fails', async () => {
  async function* cutOff() {
    yield Buffer.from(`${head}\r\n{}`);
    throw new Error('connection reset');
  }
  const parts = formParts(cutOff(), 'b');
  const { content } = (await parts.next()).value ?? {};
  await expect(content && collect(content)).rejects.toEqual(brokenForm());
});

it('passes on as much as is allowed and not a byte more', async () => {
  const limited = (size: number) => collect(atMost(piecesOf('x'.repeat(size), 3), 10, brokenForm));
  expect((await limited(10)).toString()).toBe('x'.repeat(10));
  await expect(limited(11)).rejects.toEqual(brokenForm());
});

it('collects many pieces into one', async () => {
  const text = Array.from({ length: 5000 }, (_, i) => String.fromCharCode(i % 256)).join('');
  expect((await collect(piecesOf(text, 1))).toString('latin1')).toBe(text);
});
