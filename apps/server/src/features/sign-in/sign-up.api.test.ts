import { expect, it } from 'vitest';
import { noLog, startApi } from '../../../test/harness.ts';
import { linkIn, startMailServer } from '../../../test/mail-server.ts';
import { newVisitor, type Visitor } from '../../../test/visitor.ts';
import { mailKinds } from '../../app/worker.ts';
import { NO_QUOTA } from '../../platform/http/storage-quota.ts';
import { openMailer } from '../../platform/mail/mailer.ts';
import { sendDueMails } from '../../platform/mail/outbox.ts';
import { findUserByEmail } from '../users/user.reads.ts';

const api = await startApi({ signIn: { signUp: 'open', perAddress: 100_000, perAccount: 100_000 } });
const mails = await startMailServer();
const mailer = openMailer({ url: mails.url, from: 'waymark@waymark.test' });
const kinds = mailKinds({ publicUrl: 'http://waymark.test', signUp: 'open', storageQuota: NO_QUOTA });

/** Requests a link and opens it; the caller still has to confirm. */
async function upToTheButton(email: string): Promise<{ visitor: Visitor; token: string }> {
  const visitor = newVisitor(api);
  await visitor.get('/sign-in');
  await visitor.post('/sign-in', { email });
  await sendDueMails({ db: api.db, mailer, kinds, log: noLog, now: () => api.clock.now });
  const token = new URL(linkIn(await mails.mailTo(email))).searchParams.get('token') ?? '';
  await visitor.get(`/sign-in/link?token=${token}`);
  return { visitor, token };
}

it('signs up an address that nobody has, with a personal org, where that is open to all', async () => {
  const { visitor, token } = await upToTheButton('grace@example.test');
  expect(await findUserByEmail(api.db, 'grace@example.test')).toBeUndefined();
  expect(await visitor.post('/sign-in/link', { token })).toMatchObject({ status: 303, location: '/' });
  const user = await findUserByEmail(api.db, 'grace@example.test');
  expect(user).toMatchObject({ login: 'grace', email: 'grace@example.test' });
  const { html } = await visitor.get('/account');
  expect(html).toContain(
    '<th scope="row">grace</th><td class="short"><span class="label">Role </span>admin</td><td>your own',
  );
});

it('makes one account when somebody follows two links at once', async () => {
  const both = [await upToTheButton('twin@example.test'), await upToTheButton('twin@example.test')];
  const done = await Promise.all(both.map(({ visitor, token }) => visitor.post('/sign-in/link', { token })));
  expect(done.map(({ status }) => status)).toEqual([303, 303]);
  const users = await api.db.selectFrom('user_account').select('id').where('email', '=', 'twin@example.test').execute();
  expect(users).toHaveLength(1);
});

it('gives two people who ask for the same login at once one each', async () => {
  const both = [await upToTheButton('sam@one.test'), await upToTheButton('sam@two.test')];
  const done = await Promise.all(both.map(({ visitor, token }) => visitor.post('/sign-in/link', { token })));
  expect(done.map(({ status }) => status)).toEqual([303, 303]);
  const logins = await Promise.all(['sam@one.test', 'sam@two.test'].map((email) => findUserByEmail(api.db, email)));
  expect(logins.map((user) => user?.login).sort()).toEqual(['sam', expect.stringMatching(/^sam-\d{5}$/)]);
});
