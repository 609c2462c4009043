import { describe, expect, it } from 'vitest';
import { decide } from './decide.ts';
import { artifactIn, asking, failed, flow, IN_PRODUCTION, passed } from './decide-examples.ts';
import { actionsFor, fixesOf } from './explain-actions.ts';

const all = (...fixes: string[]) => ({ isOneEnough: false, fixes });
const one = (...fixes: string[]) => ({ isOneEnough: true, fixes });

describe('the fewest things to do', () => {
  it('are told once each, with those they help, what helps most first', () => {
    expect(
      actionsFor([
        ['api', [all('b')]],
        ['web', [all('a'), all('b')]],
      ]),
    ).toEqual([
      { fix: 'b', subjects: ['api', 'web'] },
      { fix: 'a', subjects: ['web'] },
    ]);
  });

  it('take what is done anyway where one of several is enough', () => {
    expect(
      actionsFor([
        ['api', [one('a', 'b')]],
        ['web', [all('b')]],
      ]),
    ).toEqual([{ fix: 'b', subjects: ['api', 'web'] }]);
  });

  it('else take what helps most, and of equals the first by its words', () => {
    expect(
      actionsFor([
        ['api', [one('a', 'c')]],
        ['job', [one('b', 'c')]],
        ['web', [one('z', 'y')]],
      ]),
    ).toEqual([
      { fix: 'c', subjects: ['api', 'job'] },
      { fix: 'y', subjects: ['web'] },
    ]);
  });
});

it('a rule wants all that fails put right, and one of what is missing', () => {
  const tests = asking('{ name: unit-tests, type: junit }');
  const of = (...flows: ReturnType<typeof flow>[]) =>
    fixesOf(decide(tests, { name: 'prod', version: 1 }, artifactIn(...flows), IN_PRODUCTION));
  const fails = (name: string) => flow(name, failed('unit-tests', 'junit'));
  expect(of(fails('a'), fails('b'), flow('c'))).toMatchObject([{ isOneEnough: false, fixes: { length: 2 } }]);
  expect(of(flow('a'), flow('b'))).toMatchObject([{ isOneEnough: true, fixes: { length: 2 } }]);
  expect(of(flow('a', passed('unit-tests', 'junit')))).toEqual([]);
});
