import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exitCodes } from '../apps/cli/src/run/exit-codes.ts';
import { contracts } from '../packages/contract/src/index.ts';

const page = readFileSync(join(import.meta.dirname, '../docs/errors.md'), 'utf8');

/** Statuses that no contract lists, because any request can get them. */
const OF_ANY_REQUEST = [405, 408, 431, 500];

/** The numbers in the first column of the first table below a heading. */
function numbersBelow(heading: string): number[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [table = ''] = section.split(/\n\n(?!\|)/).filter((part) => part.includes('\n| ---'));
  return [...table.matchAll(/^\| (\d+)/gm)].map(([, number]) => Number(number));
}

it('the page of errors has every status that the API sends, and no other', () => {
  const sent = new Set([...contracts.flatMap(({ errors }) => errors), ...OF_ANY_REQUEST]);
  expect(numbersBelow('Statuses')).toEqual([...sent].toSorted((a, b) => a - b));
});

it('the page of errors has every exit code', () => {
  expect(numbersBelow('Exit codes')).toEqual(Object.values(exitCodes).toSorted((a, b) => a - b));
});
