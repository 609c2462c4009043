import { readUser } from '@waymark/scim';
import { expect, it } from 'vitest';
import { addressOf, nameOf } from './address-of.ts';

it.each([
  [{ userName: 'ada@example.com' }, 'ada@example.com'],
  [{ userName: 'ada', emails: [{ value: 'a@home.test' }, { value: 'a@work.test', type: 'work' }] }, 'a@work.test'],
  [
    {
      userName: 'ada',
      emails: [
        { value: 'a@work.test', type: 'work' },
        { value: 'a@x.test', primary: true },
      ],
    },
    'a@x.test',
  ],
  [{ userName: 'ada@example.com', emails: [{ value: 'no address', primary: true }] }, 'ada@example.com'],
  [{ userName: 'ada' }, undefined],
  [{ userName: 'ada', emails: [{ value: 'a b@example.com' }] }, undefined],
  [{ userName: `${'x'.repeat(300)}@example.com` }, undefined],
])('%j has the address %s', (user, address) => {
  expect(addressOf(readUser(user))).toBe(address);
});

it.each([
  [{ displayName: 'Ada L.', name: { formatted: 'Ada Lovelace' } }, 'Ada L.'],
  [{ name: { formatted: 'Ada Lovelace', givenName: 'A' } }, 'Ada Lovelace'],
  [{ name: { givenName: 'Ada', familyName: 'Lovelace' } }, 'Ada Lovelace'],
  [{}, null],
])('%j is called %s', (user, name) => {
  expect(nameOf(readUser({ userName: 'ada', ...user }))).toBe(name);
});
