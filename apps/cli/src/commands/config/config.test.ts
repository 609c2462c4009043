import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { givenCli } from '../../../test/given-cli.ts';

it('shows the settings in force and their sources, and no secret', async () => {
  const cli = givenCli({ WAYMARK_TOKEN: 'wmk_secret', WAYMARK_TIMEOUT: '5s' });
  await writeFile(join(cli.cwd, '.waymark.yml'), 'version: 1\nhost: https://waymark.test\non_unavailable: fail\n');

  const { code, stdout, stderr } = await cli.run(['config', '--json', '--org', 'acme']);
  const { settings, project_file } = JSON.parse(stdout) as { settings: object[]; project_file: string };
  const from = join(cli.cwd, '.waymark.yml');
  expect({ code, stderr, project_file }).toEqual({ code: 0, stderr: '', project_file: from });
  expect(settings).toEqual(
    expect.arrayContaining([
      { name: 'host', value: 'https://waymark.test', source: from, flag: '--host', variable: 'WAYMARK_HOST' },
      { name: 'org', value: 'acme', source: '--org', flag: '--org', variable: 'WAYMARK_ORG' },
      { name: 'token', value: '(hidden)', source: 'WAYMARK_TOKEN', flag: '--token', variable: 'WAYMARK_TOKEN' },
      expect.objectContaining({ name: 'on-unavailable', value: 'fail', source: from }),
      expect.objectContaining({ name: 'timeout', value: '5s' }),
    ]),
  );
  const forPeople = await cli.run(['config', '-o', 'wide']);
  expect(forPeople.stdout).toMatch(/^host +https:\/\/waymark\.test +.*\.waymark\.yml +--host +WAYMARK_HOST$/m);
  expect(stdout + forPeople.stdout).not.toContain('wmk_secret');
});
