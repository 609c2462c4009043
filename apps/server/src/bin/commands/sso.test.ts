import { listFlows } from '@waymark/contract';
import { expect, it } from 'vitest';
import { givenPerson } from '../../../test/given/people.ts';
import { startApi } from '../../../test/harness.ts';
import { commandsOn } from '../../../test/run-command.ts';

const api = await startApi();

const run = commandsOn(api.url);

it('lets people in again whom an enforced single sign-on locks out', async () => {
  const { key } = await givenPerson(api, { org: api.org, role: 'admin' });
  const enter = async () => (await api.call(listFlows, { key })).status;
  await api.db
    .insertInto('sso_setting')
    .values({
      org_id: api.org.id,
      setting_id: '01890a5d-ac96-774b-bcce-b302099a8057',
      issuer: 'https://gone.example.com',
      client_id: 'waymark',
      sealed_secret: null,
      email_domains: [],
      default_role: 'reader',
      configured_at: api.clock.now,
      configured_by: 'tests',
    })
    .execute();
  await api.db.updateTable('org').set({ sso_enforced_at: api.clock.now }).where('id', '=', api.org.id).execute();
  expect(await enter()).toBe(403);
  expect(await run('sso', 'release', '--org', 'acme')).toEqual({
    code: 0,
    out: "Org 'acme' no longer enforces single sign-on",
    err: '',
  });
  expect(await enter()).toBe(200);
  expect((await api.journal()).filter(({ type }) => type === 'sso.released')).toEqual([
    { type: 'sso.released', subject_seq: 2, actor: 'waymark-server', payload: { issuer: 'https://gone.example.com' } },
  ]);
  expect((await run('sso', 'release', '--org', 'acme')).out).toBe("Org 'acme' did not enforce single sign-on");
});

it('says in one line what is wrong', async () => {
  await api.givenOrg('plain');
  expect(await run('sso', 'release', '--org', 'nowhere')).toEqual({
    code: 1,
    out: '',
    err: "There is no org 'nowhere'",
  });
  expect(await run('sso', 'release', '--org', 'plain')).toEqual({
    code: 1,
    out: '',
    err: 'Single sign-on is not configured for this org',
  });
});
