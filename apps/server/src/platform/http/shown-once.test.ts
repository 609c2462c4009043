import { contract, putFlow } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startApi } from '../../../test/harness.ts';
import { handle } from './handle.ts';

const SECRET = 'the-secret-text';
let calls = 0;

const postSecret = contract({
  id: 'postSecret',
  summary: 'Answers with a secret',
  tag: 'Tests',
  method: 'POST',
  path: '/secrets/:org',
  access: 'read',
  params: putFlow.params,
  body: z.strictObject({ fail: z.boolean().optional() }),
  status: 201,
  reply: z.object({ id: z.string().optional(), secret: z.string() }),
  shownOnce: 'secret',
  errors: [400, 401, 403],
});

const postNameless = contract({ ...postSecret, id: 'postNameless', path: '/nameless-secrets/:org' });

const api = await startApi();
handle(api.app, postSecret, async (_, { body }) => {
  calls += 1;
  if (body.fail) throw new Error('not this time');
  return { id: `made-${calls}`, secret: SECRET };
});
handle(api.app, postNameless, async () => ({ secret: SECRET }));

const post = (key: string, body: { fail?: boolean } = {}) =>
  api.call(postSecret, { headers: { 'idempotency-key': key }, body });

describe('a reply whose secret is shown once', () => {
  it('has it the first time, and is cached by nobody on the way', async () => {
    const answer = await api.call(postSecret, { body: {} });
    expect(answer).toMatchObject({ status: 201, body: { secret: SECRET }, headers: { 'cache-control': 'no-store' } });
  });

  it('is not shown to a repeat, which learns what the first one made', async () => {
    const before = calls;
    const first = await post('k-1');
    const id = first.body.id;
    expect(first).toMatchObject({ status: 201, body: { id, secret: SECRET } });
    expect(await post('k-1')).toMatchObject({
      status: 400,
      body: {
        errors: { 'Idempotency-Key': expect.stringContaining(`is shown only once. It created '${id}'`) },
      },
    });
    expect(calls).toBe(before + 1);
  });

  it('is not stored', async () => {
    await post('k-2');
    const rows = await api.db.selectFrom('idempotent_reply').selectAll().where('org_id', '=', api.org.id).execute();
    expect(rows.some(({ body }) => body.includes('made-'))).toBe(true);
    expect(JSON.stringify(rows)).not.toContain(SECRET);
  });

  it('makes a race of repeats run once', async () => {
    const before = calls;
    const answers = await Promise.all(Array.from({ length: 8 }, () => post('k-3')));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status } of answers) expect([201, 400, 503]).toContain(status);
    expect(calls).toBe(before + 1);
  });

  it('may be asked for again when the first request failed', async () => {
    expect((await post('k-4', { fail: true })).status).toBe(500);
    expect((await post('k-4')).status).toBe(201);
  });

  it('refuses another request under the same key, and one whose reply has no id', async () => {
    await post('k-5');
    expect(await post('k-5', { fail: false })).toMatchObject({
      status: 400,
      body: { errors: { 'Idempotency-Key': 'was already used for another request' } },
    });
    const nameless = () => api.call(postNameless, { headers: { 'idempotency-key': 'k-6' }, body: {} });
    expect((await nameless()).status).toBe(201);
    expect(await nameless()).toMatchObject({
      status: 400,
      body: { errors: { 'Idempotency-Key': expect.stringMatching(/is shown only once$/) } },
    });
  });
});
