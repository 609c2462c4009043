import { listFlows } from '@waymark/contract';
import { expect, it } from 'vitest';
import { callSigned, givenPerson, givenSession } from '../../../test/given/people.ts';
import { startApi } from '../../../test/harness.ts';
import { commandsOn } from '../../../test/run-command.ts';

const api = await startApi();
const run = commandsOn(api.url);

it('signs a user out everywhere', async () => {
  const person = await givenPerson(api, { org: api.org, role: 'member' });
  const sessions = [await givenSession(api, person), await givenSession(api, person, api.org.id)];
  const enter = () => Promise.all(sessions.map(async (signed) => (await callSigned(api, listFlows, signed)).status));
  expect(await enter()).toEqual([200, 200]);
  expect(await run('user', 'sign-out', person.login)).toMatchObject({
    code: 0,
    out: `User '${person.login}' is signed out: 2 sessions ended`,
  });
  expect(await enter()).toEqual([401, 401]);
  expect((await api.call(listFlows, { key: person.key })).status).toBe(200);
  expect((await api.journal()).filter(({ type }) => type === 'session.revoked')).toHaveLength(1);
  expect(await run('user', 'sign-out', person.login)).toMatchObject({ out: expect.stringContaining('0 sessions') });
  expect(await run('user', 'sign-out', 'nobody')).toMatchObject({ code: 1, err: "There is no user 'nobody'" });
});
