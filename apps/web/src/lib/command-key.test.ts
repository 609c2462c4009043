import { expect, it } from 'vitest';
import { commandKey } from './command-key.ts';

it.each([
  ['MacIntel', '⌘'],
  ['iPad', '⌘'],
  ['Linux x86_64', 'Ctrl'],
  ['Win32', 'Ctrl'],
  ['', 'Ctrl'],
])('on %j it is %s', (platform, key) => {
  expect(commandKey(platform)).toBe(key);
});
