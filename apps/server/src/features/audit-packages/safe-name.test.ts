import { expect, it } from 'vitest';
import { safeName } from './safe-name.ts';

it.each([
  ['report.xml', 'report.xml'],
  ['../../etc/passwd', '_/../etc/passwd'.replaceAll('/', '_')],
  ['..', '_'],
  ['-rf', '_rf'],
  ['.bashrc', '_bashrc'],
  ['a b\n<script>.txt', 'a_b__script_.txt'],
  ['Prüfung ✓.json', 'Pr_fung__.json'],
  ['💩', '__'],
  ['', 'file'],
  [`${'x'.repeat(300)}.tar.gz`, `${'x'.repeat(77)}.gz`],
  [`a.${'x'.repeat(300)}`, `a.${'x'.repeat(78)}`],
])('makes %j %j', (name, safe) => {
  expect(safeName(name)).toBe(safe);
});
