import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Cli, givenCli } from '../../../test/given-cli.ts';

const configOf = (cli: Cli) => join(cli.home, '.config/waymark/config.yml');
const set = (cli: Cli, name: string, ...more: string[]) => cli.run(['context', 'set', name, ...more]);

it('makes, chooses, shows and removes contexts', async () => {
  const cli = givenCli();

  expect(await set(cli, 'work', '--host', 'https://waymark.example.com/', '--org', 'acme')).toMatchObject({ code: 0 });
  expect(await set(cli, 'labs', '--host', 'https://labs.example.com', '--org', 'labs', '--flow', 'shop')).toMatchObject(
    { code: 0 },
  );
  expect(await cli.run(['context', 'show'])).toMatchObject({
    stdout: 'work\n  host  https://waymark.example.com\n  org   acme\n',
  });
  expect(await cli.run(['context', 'use', 'labs'])).toMatchObject({ code: 0 });
  expect(JSON.parse((await cli.run(['context', 'list', '-o', 'json'])).stdout)).toEqual([
    { name: 'work', host: 'https://waymark.example.com', org: 'acme', flow: null, is_current: false, has_key: false },
    { name: 'labs', host: 'https://labs.example.com', org: 'labs', flow: 'shop', is_current: true, has_key: false },
  ]);
  expect(await cli.run(['context', 'remove', 'labs'])).toMatchObject({ code: 0 });
  expect(await cli.run(['context', 'show'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('No context is in use'),
  });
});

it('keeps values that were not given, and ignores variables', async () => {
  const cli = givenCli({ WAYMARK_ORG: 'from-variable' });
  await set(cli, 'work', '--host', 'https://waymark.example.com');

  await set(cli, 'work', '--flow', 'shop');

  expect(readFileSync(configOf(cli), 'utf8')).toBe(
    'contexts:\n  work:\n    host: https://waymark.example.com\n    flow: shop\ncurrent: work\n',
  );
});

it('reports mistakes, and changes nothing', async () => {
  const cli = givenCli();

  expect(await set(cli, 'work')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('No changes are specified'),
  });
  expect(await set(cli, 'work', '--org', 'acme')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no host yet'),
  });
  expect(await set(cli, 'a b', '--host', 'https://x.example')).toMatchObject({ code: 2 });
  expect(existsSync(configOf(cli))).toBe(false);
  expect(await cli.run(['context', 'list'])).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('auth login'),
  });
  await set(cli, 'work', '--host', 'https://x.example');
  expect(await cli.run(['context', 'use', 'home'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('Existing contexts: work'),
  });
  expect(await cli.run(['context', 'list', '--context', 'home'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('existing contexts: work'),
  });
});

it('keeps links', async () => {
  const cli = givenCli();
  mkdirSync(join(cli.home, '.config/waymark'), { recursive: true });
  writeFileSync(join(cli.home, 'dotfile.yml'), '# kept\n');
  symlinkSync(join(cli.home, 'dotfile.yml'), configOf(cli));

  await set(cli, 'work', '--host', 'https://x.example');

  expect(lstatSync(configOf(cli)).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(cli.home, 'dotfile.yml'), 'utf8')).toMatch(/^# kept[\s\S]*x\.example/);
});
