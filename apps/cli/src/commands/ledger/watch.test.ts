import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Cli, givenCli } from '../../../test/given-cli.ts';
import { type GivenLedger, givenLedger } from '../../../test/given-ledger.ts';

interface Watching {
  readonly ledger: GivenLedger;
  readonly cli: Cli;
  readonly state: string;
  check(...more: string[]): ReturnType<Cli['run']>;
}

/** A monitor that has made its first check, of a log with these many entries. */
async function givenWatch(entries: number): Promise<Watching> {
  const ledger = await givenLedger();
  for (let left = entries; left > 0; left -= 100) ledger.record(Math.min(left, 100));
  const cli = givenCli({ WAYMARK_HOST: ledger.host, WAYMARK_ORG: 'acme', WAYMARK_TOKEN: 'wmk_e0' });
  writeFileSync(join(cli.cwd, 'trust.txt'), await ledger.policy(1));
  const check = (...more: string[]) =>
    cli.run([
      ...['ledger', 'watch', '--once', '--policy', 'trust.txt', '--state', 'stored.json'],
      ...['--wait-for-witnesses', '0s', '--utc', ...more],
    ]);
  const first = await check();
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toContain('first check: nothing to compare with');
  return { ledger, cli, state: join(cli.cwd, 'stored.json'), check };
}

const stored = ({ state }: Watching) => JSON.parse(readFileSync(state, 'utf8'));

it.each([3, 256, 700, 1_000])('a log that only grows from %i entries passes each check', async (entries) => {
  const watch = await givenWatch(entries);
  for (const more of [0, 1, 2, 255, 256, 300]) {
    if (more > 0) watch.ledger.record(more);
    expect(await watch.check()).toMatchObject({ code: 0, stderr: '' });
  }
  expect(stored(watch).org.size).toBe(entries + 814);
  expect(await watch.check('--region')).toMatchObject({ code: 0 });
  const { stdout } = await watch.check('--json');
  expect(JSON.parse(stdout)).toMatchObject({
    origin: 'waymark.example/eu/1',
    witnesses: [{ name: 'alpha' }, { name: 'beta' }],
  });
  expect(readdirSync(watch.cli.cwd).toSorted()).toEqual(['stored.json', 'trust.txt']);
});

it('a rewritten region log is a fork, and what the log signed is stored', async () => {
  const watch = await givenWatch(300);
  const before = readFileSync(watch.state, 'utf8');
  const { leaves } = watch.ledger.regions.get(1) ?? { leaves: [] };
  leaves[0] = Buffer.from(String(leaves[0]).replace('"size":100', '"size":101'));
  watch.ledger.record(5);

  const { code, stdout, stderr } = await watch.check();
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toContain('✕ FORK: the log waymark.example/eu/1 was rewritten');
  expect(stderr).toContain('Keep stored.json and stored.json.conflict');
  expect(readFileSync(watch.state, 'utf8')).toBe(before);
  expect(readFileSync(`${watch.state}.conflict`, 'utf8')).toMatch(/^waymark\.example\/eu\/1\n4\n.*\n\n— /);
  expect((await watch.check('--region')).code).toBe(3);
});

it('another tree of the same size is a fork', async () => {
  const watch = await givenWatch(300);
  const { leaves } = watch.ledger.regions.get(1) ?? { leaves: [] };
  leaves[2] = Buffer.from(String(leaves[2]).replace('"size":300', '"size":299'));
  const { code, stderr } = await watch.check();
  expect(code).toBe(3);
  expect(stderr).toContain('It signed two different trees of 3 leaves');
});

it('a smaller region log is found', async () => {
  const watch = await givenWatch(300);
  watch.ledger.regions.get(1)?.leaves.pop();
  const { code, stderr } = await watch.check();
  expect(code).toBe(3);
  expect(stderr).toContain('✕ The log waymark.example/eu/1 got smaller');
  expect(stderr).toContain('It has 2 leaves, and 3 in the checkpoint that you stored');
});

it('an entry of the org that was changed is found, although every checkpoint is signed', async () => {
  const watch = await givenWatch(300);
  watch.ledger.org.leaves[7] = Buffer.from('{"entry":"another"}');
  watch.ledger.record(5);
  const { code, stderr } = await watch.check();
  expect(code).toBe(3);
  expect(stderr).toContain('✕ FORK: the log of acme was rewritten');
  expect(stderr).toContain('do not build the head that you stored, of 300 entries');
});

it('a head that only the region log shows is found', async () => {
  const watch = await givenWatch(300);
  const log = stored(watch).org.log as string;
  watch.ledger.announce({ kind: 'org', log, size: 301, root: 'ab'.repeat(32) });
  watch.ledger.record(5);
  const { code, stderr } = await watch.check();
  expect(code).toBe(3);
  expect(stderr).toContain('do not build a head that the region log announced, of 301 entries');
});

it('an org whose newest entries were dropped is found', async () => {
  const watch = await givenWatch(300);
  watch.ledger.org.leaves.splice(290);
  const { code, stderr } = await watch.check();
  expect(code).toBe(3);
  expect(stderr).toContain('The log of acme got smaller');
});

it('a checkpoint without its quorum is refused, and one whose witnesses are late is waited for', async () => {
  const watch = await givenWatch(300);
  watch.ledger.record(1);
  watch.ledger.cosigning = ['alpha'];
  const { code, stderr } = await watch.check();
  expect(code).toBe(3);
  expect(stderr).toContain("The trust policy requires 'both', and alpha cosigned");
  setTimeout(() => {
    watch.ledger.cosigning = ['alpha', 'beta'];
  }, 500);
  expect((await watch.check('--wait-for-witnesses', '1m')).code).toBe(0);
});

it('a checkpoint of another key is refused', async () => {
  const watch = await givenWatch(3);
  const policy = readFileSync(join(watch.cli.cwd, 'trust.txt'), 'utf8');
  writeFileSync(join(watch.cli.cwd, 'trust.txt'), policy.replace(/^log .*\n/, ''));
  expect(await watch.check()).toMatchObject({ code: 2, stderr: expect.stringContaining('trust.txt names no log') });
  writeFileSync(join(watch.cli.cwd, 'trust.txt'), await watch.ledger.policy(2));
  const { code, stderr } = await watch.check();
  expect(code).toBe(3);
  expect(stderr).toContain("The policy has no log with the origin 'waymark.example/eu/1'");
});

it('a new epoch is a break until it is accepted, and what was lost is said', async () => {
  const watch = await givenWatch(300);
  const { ledger } = watch;
  const previous = ledger.head({ leaves: (ledger.regions.get(1)?.leaves ?? []).slice(0, 2) });
  ledger.org.leaves.splice(250);
  ledger.beginEpoch(2, previous, 'The database was restored from a backup');
  const refused = await watch.check();
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain('✕ The region log began epoch 2');
  expect(refused.stderr).toContain("The operator began it: 'The database was restored from a backup'");
  expect(refused.stderr).toContain('--accept-epoch 2');

  writeFileSync(join(watch.cli.cwd, 'trust.txt'), await ledger.policy(2));
  const accepted = await watch.check('--accept-epoch', '2');
  expect(accepted.code).toBe(0);
  expect(accepted.stderr).toContain('LOST: 1 leaf of the region log');
  expect(accepted.stderr).toContain('LOST: The log of acme got smaller. It has 250 entries, and 300');
  expect(stored(watch)).toMatchObject({ region: { epoch: 2 }, org: { size: 250 }, ended: [{ epoch: 1 }] });
  ledger.record(3);
  expect(await watch.check()).toMatchObject({ code: 0, stderr: '' });
});

it('an epoch that lost nothing is accepted with that said', async () => {
  const watch = await givenWatch(300);
  const { ledger } = watch;
  ledger.record(2);
  ledger.beginEpoch(2, ledger.head(ledger.regions.get(1) ?? { leaves: [] }), 'Moved');
  ledger.record(2);
  writeFileSync(join(watch.cli.cwd, 'trust.txt'), await ledger.policy(2));
  const { code, stderr } = await watch.check('--accept-epoch', '2');
  expect(code).toBe(0);
  expect(stderr).toContain('The region log lost nothing');
  expect(stderr).toContain('The log of acme lost nothing: it contains the 300 entries that you verified');
  ledger.current = 1;
  expect((await watch.check()).stderr).toContain('you stored a checkpoint of epoch 2');
});

it('a service that is down ends a single check with 7, and keeps the checkpoint', async () => {
  const watch = await givenWatch(3);
  watch.ledger.isDown = true;
  expect((await watch.check()).code).toBe(7);
  expect(existsSync(watch.state)).toBe(true);
});

it('a damaged file is not taken for a first check', async () => {
  const watch = await givenWatch(3);
  writeFileSync(watch.state, '{}');
  expect(await watch.check()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('stored.json is not a checkpoint file'),
  });
});

it('runs until it is stopped, goes on when the service was down, and ends with 3 at a fork', async () => {
  const watch = await givenWatch(300);
  const stop = new AbortController();
  const lines: string[] = [];
  const running = watch.cli.run(
    ['ledger', 'watch', '--policy', 'trust.txt', '--state', 'stored.json', '--every', '1s', '-o', 'ndjson'],
    { signal: stop.signal, onWrite: (text) => lines.push(text) },
  );
  await expect.poll(() => lines.filter((line) => line.startsWith('{')).length).toBeGreaterThan(0);
  watch.ledger.isDown = true;
  await expect.poll(() => lines.join('')).toContain('! Not checked: ');
  watch.ledger.isDown = false;
  watch.ledger.record(2);
  await expect.poll(() => lines.join('')).toContain('"size":4');
  stop.abort();
  expect((await running).code).toBe(0);

  watch.ledger.regions.get(1)?.leaves.pop();
  const forked = await watch.cli.run([
    'ledger',
    'watch',
    '--policy',
    'trust.txt',
    '--state',
    'stored.json',
    '--every',
    '1s',
  ]);
  expect(forked.code).toBe(3);
});
