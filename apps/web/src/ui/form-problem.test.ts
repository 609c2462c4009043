import { expect, it } from 'vitest';
import { formProblem } from './form-problem.ts';

const MESSAGE = 'Invalid field \'name\': "no spaces"';

it('an error that is shown at its field is not said again', () => {
  expect(formProblem(MESSAGE, { name: 'has a space' }, new Set(['name']))).toEqual({
    message: 'Correct the marked field',
    others: [],
  });
  const two = { name: 'has a space', description: 'is too long' };
  expect(formProblem(MESSAGE, two, new Set(['name', 'description'])).message).toBe('Correct the marked fields');
});

it('an error of a field that the form does not have is said above the button, in words', () => {
  expect(formProblem(MESSAGE, { name: 'has a space', policy_names: 'is empty' }, new Set(['name']))).toEqual({
    message: MESSAGE,
    others: ['Policy names: is empty'],
  });
});

it('an error of no field is the message of the server', () => {
  expect(formProblem('The org has too many keys', {}, new Set(['name']))).toEqual({
    message: 'The org has too many keys',
    others: [],
  });
});
