import { expect, it } from 'vitest';
import { givenPerson } from '../../../test/given/people.ts';
import { startApi } from '../../../test/harness.ts';
import { commandsOn } from '../../../test/run-command.ts';
import { newVisitor } from '../../../test/visitor.ts';

const api = await startApi();
const run = commandsOn(api.url);

/** Opens a link and presses its button. */
async function enter(link: string) {
  const visitor = newVisitor(api);
  const { pathname, search } = new URL(link);
  const opened = await visitor.get(`${pathname}${search}`);
  const token = new URLSearchParams(search).get('token') ?? '';
  return { visitor, opened, answer: await visitor.post('/sign-in/link', { token }) };
}

it('signs a user in once, in any browser', async () => {
  const { login } = await givenPerson(api, { org: api.org, role: 'member' });
  await run('user', 'set-email', login, 'ada@example.test');
  const { code, out } = await run('user', 'sign-in-link', login);
  expect(code).toBe(0);
  expect(out).toMatch(/^http:\/\/waymark\.test\/sign-in\/link\?token=[\w-]{43}$/);

  const { visitor, answer } = await enter(out);
  expect(answer).toMatchObject({ status: 303, location: '/' });
  expect((await visitor.get('/account')).html).toContain(`<dd>${login}</dd>`);
  expect((await enter(out)).opened.html).toContain('This link was already used');
  const rows = await api.db.selectFrom('sign_in_link').selectAll().execute();
  expect(JSON.stringify(rows)).not.toContain(out.split('=')[1]);
});

it('ends after 10 minutes', async () => {
  const { login } = await givenPerson(api, { org: api.org, role: 'member' });
  await run('user', 'set-email', login, 'bea@example.test');
  const { out } = await run('user', 'sign-in-link', login);
  api.clock.now = new Date(Date.now() + 11 * 60_000);
  expect((await enter(out)).opened.html).toContain('This link has expired');
});

it('says what is missing', async () => {
  const { login } = await givenPerson(api, { org: api.org, role: 'member' });
  await run('user', 'create', 'nomail');
  expect(await run('user', 'sign-in-link', 'nomail')).toMatchObject({
    code: 1,
    err: `User 'nomail' has no address: set one with "waymark-server user set-email"`,
  });
  expect(await run('user', 'sign-in-link', `${login}-x`)).toMatchObject({
    code: 1,
    err: `There is no user '${login}-x'`,
  });
});
