import { Invitation, Member } from '@waymark/contract';
import { expect, it } from 'vitest';
import { givenPerson } from '../../../../server/test/given/people.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
await givenPerson(api, { org: api.org, role: 'member', login: 'bob' });

it('lists members, changes their role and removes them', async () => {
  const list = await cli.run(['member', 'list', '-o', 'json']);
  expect(
    Member.array()
      .parse(JSON.parse(list.stdout))
      .map(({ login }) => login),
  ).toEqual(['acme-admin', 'bob']);
  expect(await cli.run(['member', 'list', '-o', 'name'])).toMatchObject({ stdout: 'acme-admin\nbob\n' });

  expect(await cli.run(['member', 'role', 'bob', 'reader'])).toMatchObject({
    code: 0,
    stdout: 'bob now has the role reader\n',
  });
  expect(await cli.run(['member', 'remove', 'bob'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--yes'),
  });
  expect(await cli.run(['member', 'remove', 'bob'], { isTty: true, stdin: 'n' })).toMatchObject({ code: 2 });
  expect(await cli.run(['member', 'remove', 'bob'], { isTty: true, stdin: 'y' })).toMatchObject({ code: 0 });
  expect(await cli.run(['member', 'remove', 'bob', '--yes'])).toMatchObject({ code: 5 });
  expect(await cli.run(['member', 'role', 'acme-admin', 'reader', '--yes'])).toMatchObject({ code: 6 });
});

it('invites and withdraws', async () => {
  expect(await cli.run(['member', 'invite', 'eve@example.com'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--role'),
  });
  expect(await cli.run(['member', 'invite', 'eve', '--role', 'reader'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('email address'),
  });
  expect(await cli.run(['member', 'invite', 'eve@example.com', '--role', 'reader'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('eve@example.com invited as reader, until '),
  });
  const open = await cli.run(['member', 'invitations', '-o', 'json']);
  expect(Invitation.array().parse(JSON.parse(open.stdout))).toMatchObject([{ email: 'eve@example.com' }]);

  expect(await cli.run(['member', 'uninvite', 'Eve@example.com'])).toMatchObject({ code: 2 });
  expect(await cli.run(['member', 'uninvite', 'Eve@example.com', '--yes'])).toMatchObject({ code: 0 });
  expect(await cli.run(['member', 'uninvite', 'eve@example.com', '--yes'])).toMatchObject({ code: 5 });
  expect(await cli.run(['member', 'invitations'])).toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('member invite'),
  });
});

it('is for admins', async () => {
  const reader = await givenSignedIn(api, api.org.keys.reader);

  expect(await reader.run(['member', 'list'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('auth status'),
  });
});

it('asks for confirmation before it demotes an admin or the caller', async () => {
  await givenPerson(api, { org: api.org, role: 'admin', login: 'carol' });
  await givenPerson(api, { org: api.org, role: 'member', login: 'dan' });
  const role = (...line: string[]) => cli.run(['member', 'role', ...line]);

  expect(await role('carol', 'member')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining("This makes 'carol' member instead of admin"),
  });
  expect(await role('acme-admin', 'reader')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('This makes you reader instead of admin'),
  });
  const declined = await cli.run(['member', 'role', 'carol', 'reader'], { isTty: true, stdin: 'n' });
  expect(declined).toMatchObject({ code: 2, stderr: expect.stringContaining('Canceled; nothing was changed') });
  expect((await cli.run(['member', 'list', '--json', 'login,role'])).stdout).toMatch(/"carol",\s+"role": "admin"/);

  expect(await role('dan', 'reader')).toMatchObject({ code: 0, stdout: 'dan now has the role reader\n' });
  expect(await role('dan', 'admin')).toMatchObject({ code: 0, stdout: 'dan now has the role admin\n' });
  expect(await role('dan', 'member', '--yes')).toMatchObject({ code: 0, stdout: 'dan now has the role member\n' });
  expect(await role('nobody', 'reader')).toMatchObject({ code: 5 });
});

it('shows members to every role, and to admins alone again', async () => {
  const reader = await givenSignedIn(api, api.org.keys.reader);
  expect(await cli.run(['member', 'visibility', 'everyone'])).toMatchObject({
    code: 0,
    stdout: 'Every role can read the members and the membership log\n',
  });
  expect(await reader.run(['member', 'list', '-o', 'name'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('acme-admin'),
  });
  expect(await reader.run(['audit', 'log'])).toMatchObject({ code: 0 });
  expect(await reader.run(['member', 'visibility', 'admins'])).toMatchObject({ code: 4 });
  expect(await cli.run(['member', 'visibility', 'admins'])).toMatchObject({
    code: 0,
    stdout: 'Only admins can read the members and the membership log\n',
  });
  expect(await reader.run(['member', 'list'])).toMatchObject({ code: 4 });
  expect(await cli.run(['member', 'visibility', 'nobody'])).toMatchObject({ code: 2, stdout: '' });
});

it('sets the suspension delay, and lists departures by SCIM', async () => {
  expect(await cli.run(['member', 'suspension-delay', '24'])).toMatchObject({
    code: 0,
    stdout:
      'Keys and workload identities of a member are suspended after 24 hours when the member leaves through SCIM\n',
  });
  for (const wrong of ['169', '-1', '1.5', 'soon']) {
    expect(await cli.run(['member', 'suspension-delay', wrong])).toMatchObject({ code: 2, stdout: '' });
  }
  expect(await cli.run(['member', 'departures', '-o', 'json'])).toMatchObject({ code: 0, stdout: '[]\n' });
});
