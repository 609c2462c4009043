import { OrgName } from '@waymark/contract';
import { expect, it } from 'vitest';
import { loginOf } from './login-of.ts';

it.each([
  ['Ada.Lovelace@example.com', 'ada.lovelace'],
  ['ada+test@example.com', 'ada-test'],
  ['josé@example.com', 'jose'],
  ['.hidden.@example.com', 'hidden.'],
  ['名前@example.com', 'user'],
  [`${'x'.repeat(64)}@example.com`, 'x'.repeat(48)],
  ['@example.com', 'user'],
])('makes of %s the login %s', (email, login) => {
  expect(loginOf(email)).toBe(login);
  expect(OrgName.safeParse(login).success).toBe(true);
});
