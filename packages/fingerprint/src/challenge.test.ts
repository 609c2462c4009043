import { expect, it } from 'vitest';
import { parseChallenges } from './challenge.ts';

it.each([
  ['', []],
  ['Basic', [['basic', {}]]],
  ['Basic realm="a, b"', [['basic', { realm: 'a, b' }]]],
  [
    'Bearer realm="https://auth.example.com/token",service="registry",scope="repository:a/b:pull"',
    [['bearer', { realm: 'https://auth.example.com/token', service: 'registry', scope: 'repository:a/b:pull' }]],
  ],
  ['BEARER Realm = x , Service=y', [['bearer', { realm: 'x', service: 'y' }]]],
  [
    'Basic realm="one", Bearer realm="two"',
    [
      ['basic', { realm: 'one' }],
      ['bearer', { realm: 'two' }],
    ],
  ],
  [String.raw`Basic realm="a \"b\""`, [['basic', { realm: 'a "b"' }]]],
  ['realm="no scheme"', []],
  [
    'Basic realm="never closed',
    [
      ['basic', { realm: '' }],
      ['never', {}],
      ['closed', {}],
    ],
  ],
])('reads %s', (header, expected) => {
  const read = parseChallenges(header).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]);

  expect(read).toEqual(expected);
});
