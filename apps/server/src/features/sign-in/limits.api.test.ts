import { expect, it } from 'vitest';
import { givenPerson } from '../../../test/given/people.ts';
import { startApi } from '../../../test/harness.ts';
import { newVisitor } from '../../../test/visitor.ts';

const api = await startApi({ signIn: { signUp: 'invited', perAddress: 12, perAccount: 3 } });
await givenPerson(api, { email: 'ada@example.test' });

const later = (ms: number) => {
  api.clock.now = new Date(api.clock.now.getTime() + ms);
};
const links = async (email: string) =>
  (await api.db.selectFrom('sign_in_link').select('id').where('email', '=', email).execute()).length;

async function ask(email: string) {
  const visitor = newVisitor(api);
  await visitor.get('/sign-in');
  return visitor.post('/sign-in', { email });
}

it('limits links per account, without a visible difference', async () => {
  const answers = [];
  for (let i = 0; i < 5; i++) answers.push(await ask(i % 2 ? 'ada@example.test' : 'ADA@example.test'));
  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
  const texts = answers.map(({ html }) => html.replace(/ada@example.test/i, '…'));
  expect(new Set(texts).size).toBe(1);
  expect(await links('ada@example.test')).toBe(3);
  // The same applies to an address without an account.
  for (let i = 0; i < 5; i++) expect((await ask('eve@example.test')).status).toBe(200);
  expect(await links('eve@example.test')).toBe(3);
  later(5 * 60_000);
  await ask('ada@example.test');
  await ask('ada@example.test');
  expect(await links('ada@example.test')).toBe(4);
});

it('slows down an address that asks too often, and says when to come back', async () => {
  later(60_000);
  for (let i = 0; i < 12; i++) expect((await ask(`x${i}@example.test`)).status).toBe(200);
  const refused = await ask('y@example.test');
  expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '5' } });
  expect(refused.html).toContain('Too many attempts');
  expect(await links('y@example.test')).toBe(0);
  later(5_000);
  expect((await ask('y@example.test')).status).toBe(200);
});

it('slows down who guesses links', async () => {
  later(60_000);
  const visitor = newVisitor(api);
  await visitor.get('/sign-in');
  const statuses: number[] = [];
  for (let i = 0; i < 7; i++) {
    statuses.push((await visitor.get(`/sign-in/link?token=guess-${i}`)).status);
    statuses.push((await visitor.post('/sign-in/link', { token: `guess-${i}` })).status);
  }
  expect(statuses).toEqual([...Array(12).fill(404), 429, 429]);
});
