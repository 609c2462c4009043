import { ApiKey, CreatedApiKey, RotatedApiKey, ServiceAccount } from '@waymark/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApi } from '../../../../server/test/harness.ts';
import { addressOf, givenCli, givenSignedIn } from '../../../test/given-cli.ts';

const api = await startApi();
const cli = await givenSignedIn(api);

beforeAll(async () => {
  expect(await cli.run(['sa', 'create', 'builder', '--role', 'member'])).toMatchObject({ code: 0 });
});

async function givenKey(...more: string[]): Promise<CreatedApiKey> {
  const { stdout } = await cli.run(['key', 'create', 'deploys', '-o', 'json', ...more]);
  return CreatedApiKey.parse(JSON.parse(stdout));
}
const works = async (key: string) => {
  const someone = givenCli({ WAYMARK_HOST: await addressOf(api), WAYMARK_ORG: 'acme', WAYMARK_TOKEN: key });
  return (await someone.run(['flow', 'list'])).code === 0;
};

describe('service accounts', () => {
  it('are created, shown, changed and deleted', async () => {
    const created = await cli.run([
      'sa',
      'create',
      'reporter',
      '--role',
      'snapshotter',
      '--description',
      'reports',
      '-o',
      'json',
    ]);
    expect(ServiceAccount.parse(JSON.parse(created.stdout))).toMatchObject({
      name: 'reporter',
      privilege: 'snapshotter',
    });
    expect(await cli.run(['sa', 'create', 'reporter'])).toMatchObject({
      code: 6,
      stdout: '',
      stderr: expect.stringContaining("fix: 'waymark sa get reporter'"),
    });
    expect(await cli.run(['sa', 'create', 'no spaces'])).toMatchObject({ code: 2 });
    expect(await cli.run(['sa', 'update', 'reporter'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Nothing is given'),
    });
    expect(await cli.run(['sa', 'update', 'reporter', '--role', 'reader', '--no-description'])).toMatchObject({
      code: 0,
    });
    expect((await cli.run(['sa', 'get', 'reporter'])).stdout).toMatch(
      /^reporter\n {2}role +reader\n {2}created +.*\n {2}keys +none\n$/,
    );
    const list = await cli.run(['sa', 'list', '-o', 'json']);
    expect(
      ServiceAccount.array()
        .parse(JSON.parse(list.stdout))
        .map(({ name }) => name),
    ).toContain('reporter');

    expect(await cli.run(['sa', 'delete', 'reporter'])).toMatchObject({ code: 2 });
    expect(await cli.run(['sa', 'delete', 'reporter', '--dry-run'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('dry run'),
    });
    expect(await cli.run(['sa', 'delete', 'reporter', '--yes'])).toMatchObject({ code: 0 });
    expect(await cli.run(['sa', 'get', 'reporter'])).toMatchObject({ code: 5 });
  });

  it('are not created by a dry run', async () => {
    expect(await cli.run(['sa', 'create', 'dry', '--dry-run'])).toMatchObject({
      code: 0,
      stdout: "Service account 'dry' would be created as reader\n",
      stderr: '(dry run: nothing was recorded)\n',
    });
    expect(await cli.run(['sa', 'get', 'dry'])).toMatchObject({ code: 5 });
  });
});

describe('keys', () => {
  it('are shown once, alone on standard output', async () => {
    const ran = await cli.run(['key', 'create', 'laptop', '--expires', '30d']);

    expect(ran.stdout).toMatch(/^wmk_e[0-9A-Za-z]{36}\n$/);
    expect(ran.stderr).toMatch(/^Key [0-9a-f-]{36} was made; it expires: .*\nIt is shown now, and never again\n$/);
    expect(await works(ran.stdout.trim())).toBe(true);
    const list = await cli.run(['key', 'list', '-o', 'json']);
    expect(list.stdout + ran.stderr).not.toContain(ran.stdout.trim());
    expect(ApiKey.array().parse(JSON.parse(list.stdout))).toContainEqual(
      expect.objectContaining({ description: 'laptop' }),
    );
  });

  it('need a description and an end that can be read', async () => {
    expect(await cli.run(['key', 'create', ' '])).toMatchObject({ code: 2, stdout: '' });
    expect(await cli.run(['key', 'create', 'x', '--expires', 'soon'])).toMatchObject({ code: 2, stdout: '' });
    expect(await cli.run(['key', 'create', 'x', '--expires', '2020-01-01'])).toMatchObject({ code: 2, stdout: '' });
    expect(await cli.run(['key', 'create', 'x', '--sa', 'nobody'])).toMatchObject({ code: 5, stdout: '' });
    expect((await givenKey('--expires', 'never')).expires_at).toBe(0);
  });

  it('are rotated once, also when two do it at the same time', async () => {
    const { id, key } = await givenKey('--sa', 'builder');

    const ran = await Promise.all(
      [1, 2, 3].map(() => cli.run(['key', 'rotate', id, '--sa', 'builder', '--grace', '2h', '-o', 'json'])),
    );

    expect(ran.map(({ code }) => code).sort()).toEqual([0, 6, 6]);
    const rotated = RotatedApiKey.parse(JSON.parse(ran.find(({ code }) => code === 0)?.stdout ?? ''));
    for (const { stdout, stderr } of ran.filter(({ code }) => code === 6)) {
      expect(stdout).toBe('');
      expect(stderr).toContain(`was rotated before, to '${rotated.id}'`);
    }
    expect(JSON.stringify(ran.map(({ stderr }) => stderr))).not.toContain('wmk_');
    expect([await works(key), await works(rotated.key)]).toEqual([true, true]);
    expect(await cli.run(['key', 'rotate', id, '--sa', 'builder', '--grace', '30m'])).toMatchObject({ code: 2 });
  });

  it('are revoked only when that was confirmed', async () => {
    const { id, key } = await givenKey('--sa', 'builder');

    expect(await cli.run(['key', 'revoke', id, '--sa', 'builder'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        new RegExp(`This revokes the key '${id}' of service account 'builder'.*--yes`, 's'),
      ),
    });
    expect(await works(key)).toBe(true);
    expect(await cli.run(['key', 'revoke', id, '--sa', 'builder', '--yes'])).toMatchObject({ code: 0 });
    expect(await works(key)).toBe(false);
    expect(await cli.run(['key', 'revoke', id, '--sa', 'builder', '--yes'])).toMatchObject({ code: 5 });
    expect(await cli.run(['key', 'revoke', 'gone', '--yes'])).toMatchObject({ code: 5 });
    expect(await cli.run(['key', 'revoke', 'gone'], { isTty: true, stdin: 'y' })).toMatchObject({ code: 5 });
    const own = await givenKey();
    expect(await cli.run(['key', 'revoke', own.id, '--yes'])).toMatchObject({ code: 0 });
  });

  it('can be replaced where they are stored', async () => {
    const mine = givenCli();
    const { id, key } = await givenKey();
    await mine.run(['auth', 'login', '--host', await addressOf(api), '--org', 'acme'], { stdin: key });

    const { stdout } = await mine.run(['key', 'rotate', id]);
    expect(await mine.run(['auth', 'login', '--with-token'], { stdin: stdout })).toMatchObject({ code: 0 });

    expect(await mine.run(['auth', 'token'])).toMatchObject({ stdout });
  });
});
