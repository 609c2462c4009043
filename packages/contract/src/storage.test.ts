import { expect, it } from 'vitest';
import { bytesText } from './storage.ts';

it.each([
  [0, '0 bytes'],
  [1023, '1023 bytes'],
  [1024, '1.0 KiB'],
  [10 * 1024 - 1, '9.9 KiB'],
  [150 * 1024 ** 2, '150 MiB'],
  [1.5 * 1024 ** 3, '1.5 GiB'],
  [5_000 * 1024 ** 4, '5000 TiB'],
])('%d bytes are %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});
