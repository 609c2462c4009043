import { expect, it } from 'vitest';
import { inertName, safeName } from './safe-name.ts';

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

it.each([
  ['report.html', 'report.html.txt'],
  ['REPORT.HTM', 'REPORT.HTM.txt'],
  ['picture.svg', 'picture.svg.txt'],
  ['junit.xml', 'junit.xml.txt'],
  ['page.xhtml', 'page.xhtml.txt'],
  ['page.html.', 'page.html..txt'],
  ['install.js', 'install.js.txt'],
  ['no-extension', 'no-extension.txt'],
  ['', 'file.txt'],
  [`${'x'.repeat(300)}.html`, `${'x'.repeat(75)}.html.txt`],
  ['results.JSON', 'results.JSON'],
  ['scan.pdf', 'scan.pdf'],
  ['coverage.tar.gz', 'coverage.tar.gz'],
])('stores an attachment called %j as %j', (name, inert) => {
  expect(inertName(name)).toBe(inert);
});
