import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listAttestations, putFlow } from '@waymark/contract';
import { beforeAll, expect, it } from 'vitest';
import { startApi } from '../../../../server/test/harness.ts';
import { addressOf, type Cli, givenCli, givenSignedIn } from '../../../test/given-cli.ts';
import { attestation } from '../../spool/given-spool.ts';
import { openSpool } from '../../spool/spool.ts';
import type { ToSpool } from '../../spool/spooled.ts';

const api = await startApi();
const host = await addressOf(api);

beforeAll(async () => {
  await api.call(putFlow, { body: { name: 'web' } });
});

const directoryOf = ({ home }: Cli) => join(home, '.local/state/waymark/spool');

async function keep(cli: Cli, name: string, more: Partial<ToSpool> = {}): Promise<string> {
  const params = { org: 'acme', flow_name: 'web', trail_name: 't1' };
  const { id } = await openSpool(directoryOf(cli)).append(
    attestation(name, { host, params, line: `${host}/acme/web/t1`, ...more }),
  );
  return id;
}

const bad = { body: { attestation_name: 'bad', is_compliant: 'perhaps' } };

it('reports an empty spool', async () => {
  const cli = await givenSignedIn(api);
  expect(await cli.run(['spool', 'status'])).toEqual({
    code: 0,
    stdout: '',
    stderr: 'The spool is empty: everything was delivered.\n',
  });
  expect(await cli.run(['spool', 'push'])).toEqual({ code: 0, stdout: 'Nothing to send\n', stderr: '' });
});

it('spools entries for an unavailable service, and sends them to no other host', async () => {
  const cli = await givenSignedIn(api);
  const away = { env: { WAYMARK_HOST: 'http://127.0.0.1:1' } };
  const line = ['attest', 'generic', '--compliant', '--flow', 'web', '--trail', 'away', '--name'];
  for (const name of ['a', 'b', 'c']) expect(await cli.run([...line, name], away)).toMatchObject({ code: 0 });

  const waits = await cli.run(['spool', 'push'], away);
  expect(waits).toMatchObject({ code: 7, stdout: '0 recorded, 3 waiting\n' });
  expect(waits.stderr).toMatch(/^! Some entries are still waiting: /);
  expect(await cli.run(['spool', 'push'])).toMatchObject({
    code: 0,
    stdout: '0 recorded, 3 for another host or org\n',
  });

  const status = JSON.parse((await cli.run(['spool', 'status', '-o', 'json'])).stdout);
  expect(status.waiting.map(({ operation }: { operation: string }) => operation)).toEqual(
    Array.from({ length: 3 }, () => 'attestGeneric'),
  );
  expect(JSON.stringify(status)).not.toContain(api.org.keys.admin);
});

it('lists entries in the words of the command line', async () => {
  const cli = await givenSignedIn(api);
  const report = { operation: 'reportServer', params: { org: 'acme', env_name: 'prod' }, line: `${host}/acme/prod` };
  const built = { operation: 'reportArtifact', params: { org: 'acme', flow_name: 'web' } };
  await keep(cli, '', { operation: 'beginTrail', params: built.params, body: { name: 't2' } });
  await keep(cli, '', { ...built, body: { filename: 'app.tgz', trail_name: 't2' } });
  await keep(cli, 'review', { operation: 'attestPullRequest' });
  await keep(cli, '', { ...report, body: { type: 'server', artifacts: [] } });
  const { stdout } = await cli.run(['spool', 'status']);
  expect(stdout.split('\n')[0]).toMatch(/^STATE +ID +COMMAND +SUBJECT +SINCE +DESTINATION +REASON/);
  expect(stdout).toMatch(/ begin trail +web\/t2 /);
  expect(stdout).toMatch(/ attest artifact +app\.tgz in web\/t2 /);
  expect(stdout).toMatch(/ attest pr +review in web\/t1 /);
  expect(stdout).toMatch(/ snapshot server +prod /);
});

it('sends each entry once, with its time, and counts them', async () => {
  const cli = await givenSignedIn(api);
  for (const name of ['a', 'b']) await keep(cli, name);

  expect(await cli.run(['spool', 'push'])).toMatchObject({ code: 0, stdout: '2 recorded\n' });
  expect(await cli.run(['spool', 'push', '--json'])).toMatchObject({ code: 0 });
  const { body } = await api.call(listAttestations, {});
  const recorded = body.data.filter(({ trail_name }) => trail_name === 't1');
  expect(recorded.map(({ attestation_name, late }) => [attestation_name, late])).toEqual([
    ['b', true],
    ['a', true],
  ]);
});

it('lists refused entries, shows one, retries it and drops it', async () => {
  const cli = await givenSignedIn(api);
  const id = await keep(cli, 'bad', bad);
  await keep(cli, 'good');
  const short = id.slice(0, 8);

  const pushed = await cli.run(['spool', 'push']);
  expect(pushed).toMatchObject({ code: 6, stdout: '1 recorded, 1 refused\n' });
  expect(pushed.stderr).toMatch(new RegExp(`^! Refused: attest generic bad in web/t1 \\(${short}\\): .*is_compliant`));
  expect(pushed.stderr).toContain("Show an entry with 'waymark spool show ID'");
  expect(await cli.run(['spool', 'push'])).toMatchObject({ code: 0, stdout: 'Nothing to send\n' });

  const status = await cli.run(['spool', 'status']);
  expect(status.stdout).toMatch(new RegExp(`refused +${short} +attest generic +bad in web/t1 .*is_compliant`));
  expect(status.stdout).toContain('0 waiting, 1 refused, 0 damaged');
  const shown = await cli.run(['spool', 'show', short]);
  expect(shown.stdout).toContain('"is_compliant": "perhaps"');
  expect(JSON.parse((await cli.run(['spool', 'show', id, '--json'])).stdout)).toMatchObject({ id, state: 'refused' });

  expect(await cli.run(['spool', 'retry', short])).toMatchObject({ code: 0, stdout: `${id} is queued again\n` });
  expect(await cli.run(['spool', 'retry', short])).toMatchObject({ code: 6 });
  const unsure = await cli.run(['spool', 'drop', short]);
  expect(unsure).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  expect(await cli.run(['spool', 'drop', short, '--yes'])).toMatchObject({
    code: 0,
    stdout: `Dropped attest generic bad in web/t1 (${short})\n`,
  });
  expect(await cli.run(['spool', 'drop', id, '--yes'])).toMatchObject({ code: 5, stdout: '' });
  expect(await cli.run(['spool', 'show', 'nonsense'])).toMatchObject({ code: 5, stdout: '' });
});

it('leaves all entries waiting when the key is not accepted', async () => {
  const cli = givenCli({ WAYMARK_HOST: host, WAYMARK_ORG: 'acme', WAYMARK_TOKEN: 'not-a-key' });
  await keep(cli, 'a');

  expect(await cli.run(['spool', 'push'])).toMatchObject({ code: 4, stdout: '' });
  expect((await openSpool(directoryOf(cli)).list()).entries).toHaveLength(1);
});

it('reports a damaged file, which blocks nothing, and drops it by its name', async () => {
  const cli = await givenSignedIn(api);
  await keep(cli, 'torn');
  await keep(cli, 'whole', { line: `${host}/acme/web/other` });
  const waiting = join(directoryOf(cli), 'waiting');
  const [file = ''] = (await readdir(waiting)).sort();
  await writeFile(join(waiting, file), (await readFile(join(waiting, file), 'utf8')).slice(0, 40));

  expect(await cli.run(['spool', 'push'])).toMatchObject({ code: 6, stdout: '1 recorded, 1 damaged\n' });
  expect((await cli.run(['spool', 'status'])).stdout).toContain('0 waiting, 0 refused, 1 damaged');
  expect((await cli.run(['spool', 'show', file])).stdout).toContain('damaged');
  expect(await cli.run(['spool', 'drop', file, '--yes'])).toMatchObject({ code: 0 });
  expect((await cli.run(['spool', 'status'])).stdout).toBe('');
});

it('refuses a spool that others can access, with the fix', async () => {
  const cli = await givenSignedIn(api);
  await mkdir(directoryOf(cli), { recursive: true });
  await chmod(directoryOf(cli), 0o755);
  const ran = await cli.run(['spool', 'status']);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain('✕ The spool cannot be used');
  expect(ran.stderr).toContain(`fix: chmod 700 '${directoryOf(cli)}'`);
});
