import { expect, it } from 'vitest';
import { isDeniedAddress, isDeniedName, parseDenied } from './denied.ts';

it('reads networks, addresses and domain names', () => {
  const denied = parseDenied([
    '10.0.0.0/8',
    '203.0.114.7',
    '2a00:1450::1',
    'Ops.Example.com',
    '.lb.example.com',
    '*.x.org.',
  ]);

  const addresses = ['10.1.2.3', '203.0.114.7', '203.0.114.8', '2a00:1450:0::1', '2a00:1450::2', '8.8.8.8'];
  expect(addresses.filter((address) => isDeniedAddress(address, denied))).toEqual([
    '10.1.2.3',
    '203.0.114.7',
    '2a00:1450:0::1',
  ]);
  const names = [
    'ops.example.com',
    'a.ops.example.com',
    'devops.example.com',
    'example.com',
    'lb.example.com',
    'a.x.org',
  ];
  expect(names.filter((name) => isDeniedName(name, denied))).toEqual([
    'ops.example.com',
    'a.ops.example.com',
    'lb.example.com',
    'a.x.org',
  ]);
});

it.each(['', 'a b', 'https://example.com', '10.0.0.0/33', 'example.com/8', 'ä.example', 'a..b'])(
  'does not take %j',
  (item) => {
    expect(() => parseDenied([item])).toThrow(`'${item}' is not a network`);
  },
);

it('sees a denied address of version 4 inside of one of version 6', () => {
  const denied = parseDenied(['203.0.114.7']);

  const carrying = [
    '::203.0.114.7',
    '::ffff:203.0.114.7',
    '::ffff:0:203.0.114.7',
    '64:ff9b::203.0.114.7',
    '64:ff9b:1:cb00:72:700::',
    '64:ff9b:1::203.0.114.7',
    '2002:cb00:7207::1',
    '2606:4700:4700::5efe:203.0.114.7',
  ];
  expect(carrying.filter((address) => !isDeniedAddress(address, denied))).toEqual([]);
  expect(isDeniedAddress('64:ff9b::203.0.114.8', denied)).toBe(false);
});

it('denies by default where clouds hand out credentials', () => {
  const denied = parseDenied([]);

  expect(['169.254.169.254', '64:ff9b::a9fe:a9fe', 'fd00:ec2::254'].every((ip) => isDeniedAddress(ip, denied))).toBe(
    true,
  );
  expect(isDeniedAddress('10.0.0.1', denied)).toBe(false);
});
