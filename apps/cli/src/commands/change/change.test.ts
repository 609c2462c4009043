import { expect, it } from 'vitest';
import { givenPerson } from '../../../../server/test/given/people.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';

const api = await startApi();
const ada = await givenSignedIn(api, (await givenPerson(api, { org: api.org, role: 'admin', login: 'ada' })).key);
const bea = await givenSignedIn(api, (await givenPerson(api, { org: api.org, role: 'admin', login: 'bea' })).key);
const POLICY = '_schema: https://example.com/policy/v1\nartifacts:\n  provenance:\n    required: true\n';

const apply = (text: string) => ada.run(['policy', 'apply', 'prod', '-f', '-'], { stdin: text });
const waiting = async () => (await bea.run(['change', 'list', '-o', 'name'])).stdout.trim();

it('requests a change, shows it, and has it approved by another person', async () => {
  expect(await ada.run(['change', 'control', 'two_people'])).toMatchObject({ code: 0 });
  const held = await apply(POLICY);
  const id = await waiting();
  expect(held).toMatchObject({ code: 10, stdout: '' });
  expect(held.stderr).toContain("another admin has to approve this change of 'prod'");
  expect(held.stderr).toContain(`waymark change approve ${id}`);
  const shown = await bea.run(['change', 'get', id]);
  expect(shown.stdout).toContain('by ada');
  expect(shown.stdout).toContain('+      required: true');
  expect(await ada.run(['change', 'approve', id, '--yes'])).toMatchObject({ code: 4 });
  expect(await bea.run(['change', 'approve', id])).toMatchObject({ code: 2, stdout: '' });
  expect(await bea.run(['change', 'approve', id, '--yes'])).toMatchObject({
    code: 0,
    stdout: 'Approved and applied: Create a policy, or a new version of one: prod\n',
  });
  expect(await apply(POLICY)).toMatchObject({ code: 0 });
  expect(await waiting()).toBe('');
});

it('refuses and withdraws', async () => {
  await apply(`${POLICY}# 1\n`);
  const first = await waiting();
  expect(await bea.run(['change', 'refuse', first, '--reason', 'Not now'])).toMatchObject({ code: 0 });
  expect((await ada.run(['change', 'get', first])).stdout).toContain('Not now');
  expect(await bea.run(['change', 'approve', first, '--yes'])).toMatchObject({ code: 6 });
  await apply(`${POLICY}# 2\n`);
  expect(await ada.run(['change', 'withdraw', await waiting()])).toMatchObject({ code: 0 });
  expect(await bea.run(['change', 'list'])).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('No changes await approval') as unknown,
  });
  expect((await bea.run(['change', 'list', '--state', 'withdrawn', '-o', 'json'])).stdout).toContain('"withdrawn"');
});
