import { expect, it } from 'vitest';
import { csvOf } from './csv.ts';

it('quotes characters that would end a cell', () => {
  expect(csvOf(['user', 'by'], [['Ada, "the first"', 'line\nbreak']])).toBe(
    'user,by\r\n"Ada, ""the first""","line\nbreak"\r\n',
  );
});

it('lets no cell become a formula', () => {
  expect(csvOf(['user'], [['=1+1'], ['@cmd'], ['-2'], ['plain']])).toBe("user\r\n'=1+1\r\n'@cmd\r\n'-2\r\nplain\r\n");
});
