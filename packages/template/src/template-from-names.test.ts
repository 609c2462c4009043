import { expect, it } from 'vitest';
import { templateFromNames } from './template-from-names.ts';

it('takes every name but "artifact" for evidence of any type about the artifact', () => {
  expect(templateFromNames(['artifact', 'unit-tests', 'code-review'])).toEqual({
    ok: true,
    template: {
      version: 1,
      trail: {
        attestations: [],
        artifacts: [
          {
            name: 'artifact',
            attestations: [
              { name: 'unit-tests', type: '*' },
              { name: 'code-review', type: '*' },
            ],
          },
        ],
      },
    },
  });
});

it('supplies the artifact when the list leaves it out', () => {
  expect(templateFromNames(['unit-tests'])).toEqual(templateFromNames(['artifact', 'unit-tests']));
});

it('requires nothing for an empty list', () => {
  expect(templateFromNames([])).toEqual({
    ok: true,
    template: { version: 1, trail: { attestations: [], artifacts: [] } },
  });
});

it('counts each name as a line when it refuses some', () => {
  expect(templateFromNames(['artifact', '', 'unit tests', 'review', 'review'])).toEqual({
    ok: false,
    problems: [
      { path: '1', line: 2, column: 1, message: 'A name must not be empty.' },
      {
        path: '2',
        line: 3,
        column: 1,
        message: '"unit tests" is not a name; use only letters, digits, "-", "_" and ",".',
      },
      { path: '4', line: 5, column: 1, message: 'The name "review" is in the list twice; keep one.' },
    ],
  });
});
