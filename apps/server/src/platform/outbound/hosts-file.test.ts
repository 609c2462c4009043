import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { hostsFile, parseHosts } from './hosts-file.ts';

async function givenPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hosts-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'hosts');
}

it('reads addresses of both versions, aliases and comments', () => {
  const hosts = parseHosts(
    [
      '# 10.0.0.1 commented.acme.org',
      '127.0.0.1\tlocalhost',
      '::1 localhost ip6-localhost',
      '  10.0.0.5   idp.acme.org  IDP2.acme.org# old.acme.org',
      '10.0.0.6 idp.acme.org\r',
      '10.0.0.5 idp.acme.org',
      'FD00::5 idp.acme.org',
      '10.0.0.7 last.acme.org',
    ].join('\n'),
  );

  expect(Object.fromEntries([...hosts].map(([name, addresses]) => [name, [...addresses]]))).toEqual({
    localhost: ['127.0.0.1', '::1'],
    'ip6-localhost': ['::1'],
    'idp.acme.org': ['10.0.0.5', '10.0.0.6', 'fd00::5'],
    'idp2.acme.org': ['10.0.0.5'],
    'last.acme.org': ['10.0.0.7'],
  });
});

it('leaves out what is no address, or one that is spelled otherwise or has a zone', () => {
  const lines = ['', ' ', '#', '10.0.0.1', 'a b', '127.1 a', '0x7f.0.0.1 a', '010.0.0.1 a', 'fe80::1%lo0 a', '[::1] a'];
  expect([...parseHosts([...lines, '\0\0 a', '10.0.0.1\0 a', '=10.0.0.1 a', '10.0.0.1 # a'].join('\n'))]).toEqual([]);
});

it('knows no name without a file, and those of a file as soon as it is there or has changed', async () => {
  const path = await givenPath();
  const find = hostsFile(path);
  expect(await find('idp.acme.org')).toEqual([]);

  await writeFile(path, '10.0.0.5 idp.acme.org\n');
  expect(await find('idp.acme.org')).toEqual(['10.0.0.5']);
  expect(await find('constructor')).toEqual([]);

  await writeFile(path, '10.0.0.77 idp.acme.org\n');
  expect(await find('idp.acme.org')).toEqual(['10.0.0.77']);

  await writeFile(`${path}.new`, '10.0.0.88 idp.acme.org\n');
  await rename(`${path}.new`, path);
  expect(await find('idp.acme.org')).toEqual(['10.0.0.88']);

  await rm(path);
  expect(await find('idp.acme.org')).toEqual([]);
});

it('reads so much of a file and no more, and no half of a line', async () => {
  const path = await givenPath();
  const line = '0.0.0.0 blocked.example.org\n';
  const filler = line.repeat(Math.floor((1024 * 1024 - 50) / line.length));
  const rest = 1024 * 1024 - filler.length - '\n10.0.0.6 idp.acme.org'.length;
  const upToTheEnd = `${filler}#${'x'.repeat(rest - 1)}\n10.0.0.6 idp.acme.org`;

  await writeFile(path, upToTheEnd);
  expect(await hostsFile(path)('idp.acme.org')).toEqual(['10.0.0.6']);
  await writeFile(path, `${upToTheEnd}.uk\n10.0.0.6 beyond.acme.org\n`);
  const find = hostsFile(path);
  expect(await find('blocked.example.org')).toEqual(['0.0.0.0']);
  for (const name of ['idp.acme.org', 'idp.acme.org.uk', 'beyond.acme.org']) expect(await find(name)).toEqual([]);
});
