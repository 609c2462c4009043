import { ApiKey, CreatedApiKey, RotatedApiKey, ServiceAccount } from '@waymark/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { givenPerson } from '../../../../server/test/given/people.ts';
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
      stderr: expect.stringContaining("fix: Show it with 'waymark sa get reporter'"),
    });
    expect(await cli.run(['sa', 'create', 'no spaces'])).toMatchObject({ code: 2 });
    expect(await cli.run(['sa', 'update', 'reporter'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No changes are specified'),
    });
    expect(await cli.run(['sa', 'update', 'reporter', '--role', 'reader', '--no-description'])).toMatchObject({
      code: 0,
    });
    expect((await cli.run(['sa', 'get', 'reporter'])).stdout).toMatch(
      /^reporter\n {2}role +reader\n {2}created +.*\n {2}created by +acme-admin\n {2}keys +none\n$/,
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
      stdout: "Service account 'dry' would be created: role reader\n",
      stderr: '(dry run: nothing was recorded)\n',
    });
    expect(await cli.run(['sa', 'get', 'dry'])).toMatchObject({ code: 5 });
  });
});

describe('keys', () => {
  it('are shown once, alone on standard output', async () => {
    const ran = await cli.run(['key', 'create', 'laptop', '--sa', 'builder', '--expires', '30d']);

    expect(ran.stdout).toMatch(/^wmk_e[0-9A-Za-z]{36}\n$/);
    expect(ran.stderr).toMatch(
      /^Key [0-9a-f-]{36} of service account 'builder' created; expires: .*\nThe key is shown only once\n$/,
    );
    expect(await works(ran.stdout.trim())).toBe(true);
    const list = await cli.run(['key', 'list', '--sa', 'builder', '-o', 'json']);
    expect(list.stdout + ran.stderr).not.toContain(ran.stdout.trim());
    expect(ApiKey.array().parse(JSON.parse(list.stdout))).toContainEqual(
      expect.objectContaining({ description: 'laptop' }),
    );
  });

  it('need a description and a valid expiry', async () => {
    expect(await cli.run(['key', 'create', ' ', '--sa', 'builder'])).toMatchObject({ code: 2, stdout: '' });
    expect(await cli.run(['key', 'create', 'x', '--sa', 'builder', '--expires', 'soon'])).toMatchObject({
      code: 2,
      stdout: '',
    });
    expect(await cli.run(['key', 'create', 'x', '--sa', 'builder', '--expires', '2020-01-01'])).toMatchObject({
      code: 2,
      stdout: '',
    });
    expect(await cli.run(['key', 'create', 'x', '--sa', 'nobody'])).toMatchObject({ code: 5, stdout: '' });
    expect((await givenKey('--sa', 'builder', '--expires', 'never')).expires_at).toBe(0);
  });

  it('are rotated once, also by two concurrent requests', async () => {
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

  it('keep their lifetime when rotated, and the list shows which key replaced which', async () => {
    const old = await givenKey('--sa', 'builder', '--expires', '90d');
    const { stdout, stderr } = await cli.run(['key', 'rotate', old.id, '--sa', 'builder', '-o', 'json']);
    const rotated = RotatedApiKey.parse(JSON.parse(stdout));

    expect(rotated.expires_at - rotated.created_at).toBeCloseTo(old.expires_at - old.created_at, -1);
    expect(stderr).toContain('; expires: ');
    const list = await cli.run(['key', 'list', '--sa', 'builder', '-o', 'csv']);
    expect(list.stdout).toMatch(new RegExp(`^${old.id},.*,${rotated.id},`, 'm'));
  });

  it('are revoked only after confirmation', async () => {
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
  });

  it('can be replaced where they are stored', async () => {
    const mine = givenCli();
    const { key } = await givenPerson(api, { org: api.org });
    await mine.run(['auth', 'login', '--host', await addressOf(api), '--org', 'acme'], { stdin: key });

    const [own] = ApiKey.array().parse(JSON.parse((await mine.run(['key', 'list', '-o', 'json'])).stdout));
    const { stdout } = await mine.run(['key', 'rotate', own?.id ?? '']);
    expect(await mine.run(['auth', 'login', '--with-token'], { stdin: stdout })).toMatchObject({ code: 0 });

    expect(await mine.run(['auth', 'token'])).toMatchObject({ stdout });
    expect(await mine.run(['key', 'revoke', own?.id ?? '', '--yes'])).toMatchObject({ code: 0 });
  });

  it('are suspended with their creator, and an admin restores them', async () => {
    const bea = await givenPerson(api, { org: api.org, role: 'member' });
    const hers = givenCli({ WAYMARK_HOST: await addressOf(api), WAYMARK_ORG: 'acme', WAYMARK_TOKEN: bea.key });
    await hers.run(['sa', 'create', 'bea-sa', '--role', 'member']);
    const made = await hers.run(['key', 'create', 'nightly', '--sa', 'bea-sa', '-o', 'json']);
    const { id, key } = CreatedApiKey.parse(JSON.parse(made.stdout));
    const states = async () => {
      const { stdout } = await cli.run(['key', 'list', '--sa', 'bea-sa', '-o', 'json']);
      return ApiKey.array()
        .parse(JSON.parse(stdout))
        .map(({ suspended_at }) => suspended_at !== null);
    };

    const demoted = await cli.run(['member', 'role', bea.login, 'reader']);
    expect(demoted).toMatchObject({
      code: 0,
      stdout: `${bea.login} now has the role reader\n`,
      stderr: "Suspended, because it grants more permissions: 'nightly' of service account 'bea-sa'\n",
    });
    expect([await works(key), await states()]).toEqual([false, [true]]);
    expect((await cli.run(['sa', 'list', '-o', 'csv'])).stdout).toMatch(/^bea-sa,member,1,/m);
    expect((await cli.run(['key', 'list', '--sa', 'bea-sa'])).stdout).toMatch(/suspended/i);

    expect(await hers.run(['key', 'restore', id, '--sa', 'bea-sa'])).toMatchObject({ code: 4 });
    for (let times = 0; times < 2; times++) {
      expect(await cli.run(['key', 'restore', id, '--sa', 'bea-sa'])).toMatchObject({
        code: 0,
        stdout: `Key '${id}' of service account 'bea-sa' is not suspended\n`,
      });
    }
    expect([await works(key), await states()]).toEqual([true, [false]]);
    expect(await cli.run(['key', 'restore', 'gone', '--sa', 'bea-sa'])).toMatchObject({ code: 5 });
    expect(await cli.run(['key', 'restore', id])).toMatchObject({ code: 2 });
    expect((await cli.run(['member', 'remove', bea.login, '--yes'])).stdout).not.toContain('Suspended');
  });

  it('of people are not created here', async () => {
    expect(await cli.run(['key', 'create', 'laptop'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('/account'),
    });
  });

  it('expire with the key that created them, with a note', async () => {
    expect(await cli.run(['sa', 'create', 'maker', '--role', 'admin'])).toMatchObject({ code: 0 });
    const short = await givenKey('--sa', 'maker', '--expires', '1d');
    const maker = givenCli({ WAYMARK_HOST: await addressOf(api), WAYMARK_ORG: 'acme', WAYMARK_TOKEN: short.key });
    const ran = await maker.run(['key', 'create', 'planted', '--sa', 'builder', '-o', 'json']);
    expect(ran.stderr).toContain('a key grants nothing beyond its own expiry');
    expect(CreatedApiKey.parse(JSON.parse(ran.stdout)).expires_at).toBe(short.expires_at);
    const late = await maker.run(['key', 'create', 'planted', '--sa', 'builder', '--expires', '2d']);
    expect(late).toMatchObject({ code: 2, stderr: expect.stringContaining('must not be later') });
  });
});

describe('scopes', () => {
  const as = async (key: string, line: string[]) => {
    const someone = givenCli({ WAYMARK_HOST: await addressOf(api), WAYMARK_ORG: 'acme', WAYMARK_TOKEN: key });
    return someone.run(line);
  };

  it('limit a key to evidence in named flows, and the list shows it', async () => {
    await cli.run(['flow', 'create', 'shop']);
    const ran = await cli.run(['key', 'create', 'ci', '--sa', 'builder', '--scope', 'evidence', '--flow', 'shop']);
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('Scope: evidence: shop\n') });
    const key = ran.stdout.trim();
    expect((await cli.run(['key', 'list', '--sa', 'builder', '-o', 'csv'])).stdout).toContain(',ci,evidence: shop,');
    expect(await as(key, ['begin', 'trail', 't', '--flow', 'shop'])).toMatchObject({ code: 0 });
    const attest = ['attest', 'generic', '--trail', 't', '--name', 'scan', '--compliant', '-o', 'json'];
    const attested = await as(key, [...attest, '--flow', 'shop']);
    expect(attested.code).toBe(0);
    // The record is read back with the same key.
    expect(JSON.parse(attested.stdout)).toMatchObject({ flow_name: 'shop', is_compliant: true });
    expect(await as(key, [...attest, '--flow', 'bank'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("This requires a key whose scope includes the flow 'bank'"),
    });
    expect((await as(key, ['auth', 'status'])).stdout).toContain('key scope  evidence: shop\n');
  });

  it('go with the flags for their names', async () => {
    const create = (...more: string[]) => cli.run(['key', 'create', 'x', '--sa', 'builder', '-o', 'json', ...more]);
    expect(await create('--flow', 'shop')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--flow needs --scope evidence'),
    });
    expect(await create('--scope', 'snapshot', '--flow', 'shop')).toMatchObject({ code: 2 });
    expect(await create('--scope', 'read', '--env', 'prod')).toMatchObject({ code: 2 });
    expect(await create('--scope', 'write')).toMatchObject({ code: 2 });
    const made = await create('--scope', 'snapshot', '--env', 'prod', '--env', 'test');
    expect(CreatedApiKey.parse(JSON.parse(made.stdout)).scope).toEqual({
      kind: 'snapshot',
      environments: ['prod', 'test'],
    });
  });

  it('are reported by doctor where evidence cannot be recorded', async () => {
    const { key } = await givenKey('--sa', 'builder', '--scope', 'read');
    expect((await as(key, ['doctor'])).stdout).toContain('the key has the scope read and cannot record evidence');
  });
});
