import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { givenCli } from '../../../test/given-cli.ts';

const sha = 'a'.repeat(40);
const job = {
  GITHUB_ACTIONS: 'true',
  GITHUB_SHA: sha,
  GITHUB_REF: 'refs/heads/main',
  GITHUB_REF_NAME: 'main',
  GITHUB_REF_TYPE: 'branch',
  GITHUB_EVENT_NAME: 'push',
  GITHUB_REPOSITORY: 'acme/web',
  GITHUB_REPOSITORY_ID: '1296269',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_RUN_ID: '7',
  ACTIONS_ID_TOKEN_REQUEST_URL: 'https://vault.test/token',
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'very-secret',
};

interface Context {
  provider: string;
  values: { name: string; value: string; source: string; trust: string }[];
  looked_at?: { setting: string; place: string; state: string }[];
  notes?: string[];
}

it('shows every value with its source and its trust', async () => {
  const cli = givenCli({ ...job, WAYMARK_ORG: 'acme' });
  await writeFile(join(cli.cwd, '.waymark.yml'), 'version: 1\norg: other\nflow: web\n');

  const { code, stdout } = await cli.run(['ci', 'context', '--json']);
  const { provider, values, looked_at } = JSON.parse(stdout) as Context;
  expect({ code, provider, looked_at }).toEqual({ code: 0, provider: 'github', looked_at: undefined });
  expect(values).toEqual(
    expect.arrayContaining([
      { name: 'org', value: 'acme', source: 'WAYMARK_ORG', trust: 'user' },
      { name: 'flow', value: 'web', source: join(cli.cwd, '.waymark.yml'), trust: 'user' },
      { name: 'trail', value: sha, source: 'GITHUB_SHA', trust: 'ci' },
      { name: 'commit', value: sha, source: 'GITHUB_SHA', trust: 'ci' },
      { name: 'repository id', value: '1296269', source: 'GITHUB_REPOSITORY_ID', trust: 'ci' },
    ]),
  );
  expect(stdout).not.toContain('very-secret');
});

it('explains which sources were read and which one was used', async () => {
  const cli = givenCli({ ...job, WAYMARK_ORG: 'acme' });
  await writeFile(join(cli.cwd, '.waymark.yml'), 'version: 1\norg: other\n');

  const { stdout } = await cli.run(['ci', 'context', '--explain', '--json', '--trail', 'mine']);
  const { looked_at = [], notes } = JSON.parse(stdout) as Context;
  const statesOf = (name: string) => looked_at.filter(({ setting }) => setting === name).map(({ state }) => state);
  expect(statesOf('org')).toEqual(['not set', 'used', 'passed over', 'not set']);
  expect(statesOf('trail')).toEqual(['used', 'not set', 'passed over']);
  expect(notes).toBeInstanceOf(Array);
  const forPeople = await cli.run(['ci', 'context', '--explain']);
  expect(forPeople.stdout).toContain('Running in GitHub Actions; identity token: requested from ACTIONS_ID_TOKEN');
  expect(forPeople.stdout).toContain('Unknown: host, flow');
});

it('works without a CI system or git', async () => {
  const cli = givenCli();
  const ran = await cli.run(['ci', 'context']);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('Not running in a known CI system') });
});
