import { expect, it } from 'vitest';
import { EmailAddress } from './email-address.ts';

it.each(['ada@example.com', 'ada+x@sub.example.com', "o'neil@example.com", 'josé@exämple.de', 'root@localhost'])(
  'takes %j',
  (address) => {
    expect(EmailAddress.safeParse(address).success).toBe(true);
  },
);

it.each([
  'ada',
  '@example.com',
  'ada@',
  'a@b@c',
  'ada@example.com\r\nBcc: eve@example.com',
  'ada@example.com,eve@example.com',
  'Ada <ada@example.com>',
  '"ada"@example.com',
  'ada\u0000@example.com',
  'ada\u202e@example.com',
  'ada\ud800@example.com',
  `${'a'.repeat(65)}@example.com`,
  `a@${'b'.repeat(300)}.com`,
])('refuses %j', (address) => {
  expect(EmailAddress.safeParse(address).success).toBe(false);
});
