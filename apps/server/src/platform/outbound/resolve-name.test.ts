import { expect, it } from 'vitest';
import { parseDnsServers } from './resolve-name.ts';

it('takes addresses of DNS servers with or without a port', () => {
  const servers = ['10.0.0.2', '10.0.0.2:5353', 'fd00::2', '[fd00::2]:53'];
  expect(parseDnsServers(servers)).toEqual(servers);
});

it.each(['', 'dns.example.org', '10.0.0.2:99999', '10.0.0.2 53'])('does not take %j for a DNS server', (server) => {
  expect(() => parseDnsServers([server])).toThrow(`'${server}' is not the address of a DNS server`);
});
