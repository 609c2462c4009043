import { expect, it } from 'vitest';
import { fileNameFault } from './file-name.ts';

it.each(['a', 'evidence.tgz', '.env', '...', 'naïve ☃.txt', 'a"b', 'x'.repeat(255)])('takes %j', (name) => {
  expect(fileNameFault(name)).toBeUndefined();
});

it.each([
  ['', 'must have a file name'],
  ['x'.repeat(256), 'must have a file name of at most 255 characters'],
  ['.', 'must have a file name without a path'],
  ['..', 'must have a file name without a path'],
  ['../a', 'must have a file name without a path'],
  ['/etc/passwd', 'must have a file name without a path'],
  ['a/', 'must have a file name without a path'],
  ['C:\\a', 'must have a file name without a path'],
  ['a\0b', 'must have a file name without control characters'],
  ['a\nb', 'must have a file name without control characters'],
  ['a\u007f', 'must have a file name without control characters'],
  ['a\u0085', 'must have a file name without control characters'],
])('refuses %j', (name, fault) => {
  expect(fileNameFault(name)).toBe(fault);
});
