import { lookup } from 'node:dns/promises';
import { expect, it, vi } from 'vitest';
import { parseDnsServers, systemNames } from './resolve-name.ts';

vi.mock('node:dns/promises', async (original) => ({
  ...(await original<typeof import('node:dns/promises')>()),
  lookup: vi.fn(async () => [{ address: '93.184.216.34', family: 4 }]),
}));
vi.mock('node:fs/promises', () => ({
  readFile: async () => '127.0.0.1 localhost\n10.0.0.5\tidp.acme.org  IDP2.acme.org # old.acme.org\n',
}));

it.each([
  ['hooks.example.org', 'hooks.example.org.'],
  ['old.acme.org', 'old.acme.org.'],
  ['idp.acme.org', 'idp.acme.org'],
  ['idp2.acme.org', 'idp2.acme.org'],
  ['keycloak', 'keycloak'],
  ['keycloak.auth.svc', 'keycloak.auth.svc'],
])('asks the system for %s as %s', async (host, asked) => {
  expect(await systemNames.resolve(host)).toEqual(['93.184.216.34']);
  expect(lookup).toHaveBeenLastCalledWith(asked, { all: true });
});

it('takes addresses of DNS servers with or without a port', () => {
  const servers = ['10.0.0.2', '10.0.0.2:5353', 'fd00::2', '[fd00::2]:53'];
  expect(parseDnsServers(servers)).toEqual(servers);
});

it.each(['', 'dns.example.org', '10.0.0.2:99999', '10.0.0.2 53'])('does not take %j for a DNS server', (server) => {
  expect(() => parseDnsServers([server])).toThrow(`'${server}' is not the address of a DNS server`);
});
