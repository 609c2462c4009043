import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { putFlow } from '@waymark/contract';
import { beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { givenEnvironment } from '../../../../server/test/given/environments.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';
import { allEntries } from '../../catalog/catalog.ts';

const api = await startApi();
const cli = await givenSignedIn(api);

beforeAll(async () => {
  for (const name of ['shop', 'shipping']) await api.call(putFlow, { body: { name } });
  for (const name of ['prod', 'staging']) await givenEnvironment(api, name);
});

/** Asks again when there is no answer: on a busy machine the service may be slower than the time limit. */
async function complete(...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await cli.run(['__complete', '--', ...words]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split('\n').filter((word) => word !== '');
}

it.each([
  [[':sn'], ['snapshot']],
  [
    ['snapshot', ':'],
    ['docker', 'file', 'k8s', 'path', 'paths', 'server'],
  ],
  [
    ['env', 'policies', ':'],
    ['attach', 'detach', 'promote', 'report'],
  ],
  [['spool', 'drop', ':--y'], ['--yes']],
  [['snapshot', 'file', 'prod', '-', '--type', ':l'], ['lambda']],
  [['flow', 'list', '-o', ':j'], ['json']],
  [['completion', ':b'], ['bash']],
  [['nonsense', 'words', ':'], []],
  [
    ['flow', 'get', ':s'],
    ['shipping', 'shop'],
  ],
  [['flow', 'get', 'shop', ':'], []],
  [['flow', 'create', ':s'], []],
  [['snapshot', 'k8s', ':p'], ['prod']],
  [['begin', 'trail', '--flow', ':sho'], ['shop']],
  [['begin', 'trail', '--flow', '=', ':ship'], ['shipping']],
  [['begin', 'trail', '--org', 'other', '--flow', ':'], []],
])('completes %j', async (words, expected) => {
  await expect.poll(() => complete(...words)).toEqual(expected);
});

it('caches the names, for this user only', async () => {
  const directory = join(cli.home, '.local/state/waymark/completion');
  await expect.poll(() => complete('env', 'get', ':p')).toEqual(['prod']);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(readdirSync(directory).every((file) => (statSync(join(directory, file)).mode & 0o777) === 0o600)).toBe(true);
  await givenEnvironment(api, 'brand-new');
  expect(await complete('env', 'get', ':b')).toEqual([]);
  const later = { now: () => new Date(Date.now() + 61_000) };
  const afresh = () => cli.run(['__complete', '--', 'env', 'get', ':b'], later);
  await expect.poll(async () => (await afresh()).stdout).toBe('brand-new\n');
});

it('does not wait for a service that does not answer, and offers nothing that a shell could run', async () => {
  const slow = createServer(() => undefined).listen(0, '127.0.0.1');
  const hostile = createServer((_, answer) => {
    answer.writeHead(200).end(JSON.stringify(['$(reboot)', 'a b', '-rf', 'x;y'].map((name) => ({ name }))));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    slow.closeAllConnections();
    slow.close();
    hostile.close();
  });
  await Promise.all([slow, hostile].map((server) => new Promise((resolve) => server.once('listening', resolve))));
  const at = (server: typeof slow) => ({
    env: { WAYMARK_HOST: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
  });
  expect((await cli.run(['__complete', '--', 'flow', 'get', ':'], at(slow))).stdout).toBe('');
  expect((await cli.run(['__complete', '--', 'flow', 'get', ':'], at(hostile))).stdout).toBe('');
});

it('is not shown in any help', async () => {
  const { stdout } = await cli.run(['--help']);
  expect(stdout).toContain('completion');
  expect(stdout).not.toContain('__complete');
  expect(allEntries.filter(({ path }) => path === '__complete')).toHaveLength(1);
});

it('completes in a real bash: commands and flags without the program, names by calling it', async () => {
  const { stdout: script } = await cli.run(['completion', 'bash']);
  const programs = join(cli.home, 'bin');
  mkdirSync(programs, { recursive: true });
  const asked = join(cli.home, 'asked');
  const program = join(programs, 'waymark');
  writeFileSync(
    program,
    `#!/bin/sh\necho "$@" >> '${asked}'\nexec '${process.execPath}' '${inject('programs').cli}' "$@"\n`,
  );
  chmodSync(program, 0o755);
  writeFileSync(join(cli.home, 'completion.bash'), script);

  // Asynchronously: the service runs in this process.
  const inBash = async (...words: string[]) => {
    const lines = [
      `source '${join(cli.home, 'completion.bash')}'`,
      `COMP_WORDS=(waymark ${words.map((word) => `'${word}'`).join(' ')})`,
      `COMP_CWORD=${words.length}`,
      '_waymark',
      `printf '%s\\n' "\${COMPREPLY[@]}"`,
    ];
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', lines.join('\n')], {
      encoding: 'utf8',
      cwd: cli.cwd,
      env: {
        PATH: `${programs}:${process.env['PATH']}`,
        HOME: cli.home,
        WAYMARK_HOST: hostOf(),
        WAYMARK_ORG: 'acme',
        WAYMARK_TOKEN: api.org.keys.admin,
        WAYMARK_OUTPUT: 'json',
      },
    });
    return stdout.split('\n').filter((word) => word !== '');
  };
  expect(await inBash('sna')).toEqual(['snapshot']);
  expect(await inBash('env', 'policies', '')).toEqual(['attach', 'detach', 'promote', 'report']);
  expect(await inBash('begin', 'trail', '--tra')).toEqual(['--trail']);
  expect(await inBash('--org', 'acme', 'env', 'li')).toEqual(['list']);
  expect(spawnSync('test', ['-e', asked]).status).toBe(1);
  await expect.poll(() => inBash('begin', 'trail', '--flow', 'ship')).toEqual(['shipping']);
  await expect.poll(() => inBash('begin', 'trail', '--flow', '=', 'sho')).toEqual(['shop']);
  await expect.poll(() => inBash('snapshot', 'k8s', 'st')).toEqual(['staging']);
  const registered = execFileSync('bash', [
    '--norc',
    '-c',
    `source '${join(cli.home, 'completion.bash')}'; complete -p waymark`,
  ]);
  expect(registered.toString()).toBe('complete -o default -F _waymark waymark\n');
});

it.each(['zsh', 'fish'])('is valid for %s, where that is installed', async (shell) => {
  const { stdout: script } = await cli.run(['completion', shell]);
  const file = join(cli.home, `completion.${shell}`);
  writeFileSync(file, script);
  const checked = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
  if (checked.error) return;
  expect(checked).toMatchObject({ status: 0, stderr: '' });
});

it('refuses an unknown shell', async () => {
  expect(await cli.run(['completion', 'tcsh'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('bash, zsh'),
  });
});

function hostOf(): string {
  return `http://127.0.0.1:${(api.app.http.server.address() as AddressInfo).port}`;
}
