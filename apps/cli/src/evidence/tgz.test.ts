import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { readJunit } from '../../../../packages/evidence/src/junit.ts';
import { packed, tgzOf } from './tgz.ts';

const TESTS = '<testsuite name="a"><testcase name="x"/></testsuite>';
const file = (name: string, content = TESTS) => ({ name, content: Buffer.from(content) });

it('writes what tar and the service read, the same bytes each time', () => {
  const files = packed([file('a/b.xml'), file('c.xml'), file('notes.txt', 'x'.repeat(1000))], '');
  const bytes = tgzOf(files);
  expect(tgzOf(files)).toEqual(bytes);
  const { stdout, status } = spawnSync('tar', ['-tzf', '-'], { input: bytes, encoding: 'utf8' });
  expect([status, stdout.trim().split('\n')]).toEqual([0, ['a/b.xml', 'c.xml', 'notes.txt']]);
  expect(readJunit({ name: 'evidence.tgz', bytes })).toMatchObject({ total: 2, failures: 0 });
});

it('gives names that are unique, safe and found by their ending', () => {
  const names = packed(
    [file('../../x'), file('x'), file('C:\\r\\y.XML'), file(`${'d/'.repeat(90)}z.xml`), file('ü x.xml')],
    '.xml',
  );
  expect(names.map(({ name }) => name)).toEqual([
    'x.xml',
    '1/x.xml',
    'C_/r/y.XML',
    expect.stringMatching(/^d\/.{60,}z\.xml$/),
    '__x.xml',
  ]);
  expect(readJunit({ name: 'e.tgz', bytes: tgzOf(names) })).toMatchObject({ total: 5 });
});
