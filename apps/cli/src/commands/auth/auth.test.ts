import { randomUUID } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { addWorkloadIdentity } from '@waymark/contract';
import { afterAll, describe, expect, it } from 'vitest';
import { setMembership } from '../../../../server/src/features/memberships/membership.service.ts';
import { systemCtx } from '../../../../server/src/platform/ctx.ts';
import { givenPerson } from '../../../../server/test/given/people.ts';
import { noLog, startApi } from '../../../../server/test/harness.ts';
import { startCiIssuer } from '../../../../server/test/oidc/ci-issuer.ts';
import { addressOf, type Cli, givenCli, givenSignedIn, type Ran } from '../../../test/given-cli.ts';

const api = await startApi();
const host = await addressOf(api);
const ada = await givenPerson(api, { org: api.org, role: 'admin', login: 'ada' });
const login = (cli: Cli, key: string, ...more: string[]) =>
  cli.run(['auth', 'login', '--host', host, '--with-token', ...more], { stdin: `${key}\n` });
const directory = (cli: Cli) => join(cli.home, '.config/waymark');
const credentials = (cli: Cli) => join(directory(cli), 'credentials.yml');
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('auth login', () => {
  it('stores the key readable by its owner only, and makes a context the default', async () => {
    const cli = givenCli();

    const ran = await login(cli, ada.key);

    expect(ran).toEqual({
      code: 0,
      stdout: `Signed in at ${host} as ada; switched to context 'acme'\n`,
      stderr: '',
    });
    expect(modeOf(credentials(cli))).toBe('600');
    expect(modeOf(directory(cli))).toBe('700');
    expect(readFileSync(join(directory(cli), 'config.yml'), 'utf8')).not.toContain(ada.key);
    expect(readdirSync(directory(cli)).sort()).toEqual(['config.yml', 'credentials.yml']);
    expect(await cli.run(['flow', 'list'])).toMatchObject({ code: 0 });
    expect(await cli.run(['whoami'])).toMatchObject({ code: 0, stdout: 'ada\n', stderr: `admin of acme at ${host}\n` });
  });

  it('prompts in a terminal, for the address too', async () => {
    const cli = givenCli();

    expect(await cli.run(['auth', 'login', '--host', host], { isTty: true, stdin: ada.key })).toMatchObject({
      code: 0,
    });
    expect(await givenCli().run(['auth', 'login'], { isTty: true, stdin: 'not an address' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The input must be a URL such as https://'),
    });
    expect(await givenCli().run(['auth', 'login'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--host'),
    });
  });

  it('stores nothing that the service does not accept', async () => {
    const cli = givenCli();
    const wrong = 'wmk_e0123456789012345678901234567890123456';

    const refused = [
      await login(cli, wrong),
      await login(cli, ada.key, '--org', 'nowhere'),
      await login(cli, ''),
      await login(cli, 'two words'),
      await login(cli, ada.key, '--name', '../x'),
    ];

    expect(refused.map(({ code }) => code)).toEqual([4, 4, 2, 2, 2]);
    expect(refused[1]?.stderr).toContain("ada is not a member of 'nowhere'");
    expect(refused[3]?.stderr).toContain('Standard input contains more than a key');
    expect(JSON.stringify(refused)).not.toMatch(/wmk_|two words/);
    expect(() => statSync(credentials(cli))).toThrow('ENOENT');
  });

  it('refuses a file that others can read, and explains the fix', async () => {
    const cli = givenCli();
    await login(cli, ada.key);
    chmodSync(credentials(cli), 0o640);

    const ran = [await cli.run(['whoami']), await login(cli, ada.key), await cli.run(['auth', 'logout'])];

    for (const { code, stderr } of ran) {
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: `✕ ${credentials(cli)} is readable by other users\n  fix: Run: chmod 600 ${credentials(cli)}\n`,
      });
    }
  });

  it('keeps the keys of a service account and a person apart, and the rest of the files', async () => {
    const cli = givenCli();
    await login(cli, ada.key);
    writeFileSync(join(directory(cli), 'config.yml'), `# mine\n${readFileSync(join(directory(cli), 'config.yml'))}`);
    await cli.run(['context', 'set', 'acme', '--flow', 'shop']);

    await login(cli, api.org.keys.reader, '--org', 'acme', '--name', 'ci');

    expect(await cli.run(['whoami', '-q'])).toMatchObject({ stdout: 'reader\n' });
    expect(await cli.run(['whoami', '-q', '--context', 'acme'])).toMatchObject({ stdout: 'ada\n' });
    await login(cli, ada.key);
    expect(readFileSync(join(directory(cli), 'config.yml'), 'utf8')).toMatch(/^# mine[\s\S]*flow: shop/);
    expect(await cli.run(['whoami', '-q'])).toMatchObject({ stdout: 'ada\n' });
  });

  it('uses the only org, and none when there are several', async () => {
    const other = await api.givenOrg('several');
    const bob = await givenPerson(api, { org: api.org, login: 'bob' });
    const ctx = { ...systemCtx(api.db, '', 'tests', noLog), org: other.id };
    const cli = givenCli();

    expect(await login(cli, other.keys.admin, '--jq', '.org')).toMatchObject({ code: 0, stdout: 'several\n' });
    expect(await login(cli, bob.key, '--jq', '.org')).toMatchObject({ code: 0, stdout: 'acme\n' });
    await setMembership(ctx, bob, 'reader', 'script');
    expect(await login(givenCli(), bob.key, '--jq', '.org')).toMatchObject({
      code: 0,
      stdout: 'null\n',
      stderr: expect.stringContaining("'waymark context set 127.0.0.1 --org NAME'"),
    });
  });
});

describe('auth logout', () => {
  it('removes the key from this machine', async () => {
    const cli = givenCli();
    await login(cli, ada.key);
    await login(cli, api.org.keys.reader, '--org', 'acme', '--name', 'ci');

    expect(await cli.run(['auth', 'logout'])).toMatchObject({ code: 0 });
    expect(readFileSync(credentials(cli), 'utf8')).not.toContain(api.org.keys.reader);
    expect(await cli.run(['auth', 'logout', '--all'])).toMatchObject({ code: 0 });
    expect(readFileSync(credentials(cli), 'utf8')).not.toContain('wmk_');
    expect(modeOf(credentials(cli))).toBe('600');
    expect(await cli.run(['auth', 'logout'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('No key is stored'),
    });
    expect(await cli.run(['auth', 'status'])).toMatchObject({ code: 4, stdout: '' });
  });
});

describe('auth status and token', () => {
  it('show who, how and from where', async () => {
    const cli = await givenSignedIn(api);

    const people = await cli.run(['auth', 'status']);
    const programs = JSON.parse((await cli.run(['auth', 'status', '--json'])).stdout) as unknown;

    expect(people.stdout).toBe(
      `✓ acme-admin, a person, at ${host}\n  org        acme (admin)\n  host from  WAYMARK_HOST\n  key from   WAYMARK_TOKEN\n`,
    );
    expect(programs).toMatchObject({
      login: 'acme-admin',
      role: 'admin',
      source: 'WAYMARK_TOKEN',
      signed_in_with: 'key',
    });
    expect(await cli.run(['auth', 'token'])).toEqual({ code: 0, stdout: `${api.org.keys.admin}\n`, stderr: '' });
  });

  it('end with 4 when nobody is signed in, or the key is not accepted', async () => {
    const wrong = { WAYMARK_HOST: host, WAYMARK_TOKEN: 'wmk_e0123456789012345678901234567890123456' };
    const ran: Ran[] = [
      await givenCli().run(['auth', 'status']),
      await givenCli({ WAYMARK_HOST: host }).run(['auth', 'status']),
      await givenCli(wrong).run(['auth', 'status']),
      await givenCli({ WAYMARK_HOST: host }).run(['auth', 'token']),
      await (await givenSignedIn(api)).run(['auth', 'status', '--org', 'nope']),
    ];

    expect(ran.map(({ code }) => code)).toEqual([4, 4, 4, 4, 4]);
    expect(ran[4]?.stdout).toMatch(/^✕ acme-admin, .*\n {2}org +nope \(not a member\)\n {2}fix +.*you are in acme/);
    expect(ran[2]?.stderr).toContain('does not accept the key (WAYMARK_TOKEN)');
    expect(JSON.stringify(ran)).not.toContain('wmk_');
  });

  it('show the identity of a job, whose key is printed only on request', async () => {
    const issuer = await startCiIssuer({ now: () => api.clock.now, audience: 'replaced' });
    afterAll(() => issuer.close());
    const claims = { repository_id: '1296269', ref: 'refs/heads/main' };
    const body = { name: 'release', service_account: 'member', issuer: issuer.url, claims };
    await api.call(addWorkloadIdentity, { body });
    const job = async (line: string[], env = {}) => {
      const token = await issuer.mint({ claims: { aud: 'http://waymark.test/acme' } });
      return givenCli({ WAYMARK_HOST: host, WAYMARK_ORG: 'acme', WAYMARK_ID_TOKEN: token, ...env }).run(line);
    };

    expect(await job(['auth', 'status'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^✓ member, a service account[\s\S]*identity of the job[\s\S]*'release'[\s\S]*key expires/,
      ),
    });
    expect(await job(['auth', 'token'])).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining('--exchange'),
    });
    expect(await job(['auth', 'token'], { WAYMARK_TOKEN: ada.key })).toMatchObject({ stdout: `${ada.key}\n` });
    expect(await job(['auth', 'token', '--exchange'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^wmk_e\w+\n$/),
    });
  });

  it('use a token in a variable once, and its key as often as needed', async () => {
    const { cli, tokenFor } = await givenJob('once');
    const env = { WAYMARK_ID_TOKEN: await tokenFor() };
    const { stdout } = await cli.run(['auth', 'token', '--exchange'], { env });
    writeFileSync(join(cli.home, 'key'), stdout, { mode: 0o600 });

    expect(await cli.run(['flow', 'list'], { env })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('it was already used'),
    });
    const withKey = { ...env, WAYMARK_TOKEN_FILE: 'key', WAYMARK_AUTH: 'token' };
    for (const line of [['flow', 'list'], ['whoami'], ['auth', 'token', '--exchange']]) {
      expect(await cli.run(line, { env: withKey })).toMatchObject({ code: 0 });
    }
  });

  it('request another token if the CI system made the same one twice in a second', async () => {
    const { cli, tokenFor } = await givenJob('twice');
    const env = { WAYMARK_ID_TOKEN_FILE: join(cli.home, 'token') };
    writeFileSync(env.WAYMARK_ID_TOKEN_FILE, await tokenFor());
    expect(await cli.run(['flow', 'list'], { env })).toMatchObject({ code: 0 });

    const running = cli.run(['flow', 'list'], { env });
    await setTimeout(300);
    writeFileSync(env.WAYMARK_ID_TOKEN_FILE, await tokenFor(1));
    expect(await running).toMatchObject({ code: 0, stderr: expect.not.stringContaining('already used') });
  });

  /** A job whose tokens have no id, like those of CircleCI. */
  async function givenJob(name: string) {
    const issuer = await startCiIssuer({ now: () => api.clock.now, audience: 'replaced' });
    afterAll(() => issuer.close());
    const project = { 'oidc.circleci.com/project-id': randomUUID() };
    await api.call(addWorkloadIdentity, {
      body: { name, service_account: 'member', issuer: issuer.url, claims: project },
    });
    const iat = Math.floor(api.clock.now.getTime() / 1000);
    const tokenFor = (second = 0) =>
      issuer.mint({ claims: { ...project, aud: 'http://waymark.test/acme', jti: undefined, iat: iat + second } });
    return { cli: givenCli({ WAYMARK_HOST: host, WAYMARK_ORG: 'acme' }), tokenFor };
  }
});
