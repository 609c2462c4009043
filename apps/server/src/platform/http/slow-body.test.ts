import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  changeMember,
  createServiceAccount,
  fillPath,
  listServiceAccounts,
  type Role,
  revokeUserKey,
} from '@waymark/contract';
import { expect, it } from 'vitest';
import { givenPerson } from '../../../test/given/people.ts';
import { startApi } from '../../../test/harness.ts';
import { hashKey } from './key-text.ts';

const api = await startApi();
const address = await api.app.http.listen({ host: '127.0.0.1', port: 0 });
const { org } = api;

/** Starts a request for a service account at once, and sends which one when `finish` is called. */
function begun(key: string) {
  const sent = request(`${address}/api/v2${fillPath(createServiceAccount, () => org.name)}`, {
    method: createServiceAccount.method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
  });
  sent.write('{');
  const finish = (name: string, privilege: Role) => {
    sent.end(`"name": "${name}", "privilege": "${privilege}"}`);
    return answered;
  };
  return { finish };
}

it('a request whose body comes slowly does nothing that its caller may no longer do', async () => {
  const [demoted, revoked, still] = await Promise.all([1, 2, 3].map(() => givenPerson(api, { org, role: 'admin' })));
  if (!demoted || !revoked || !still) throw new Error('three were given');
  const held = [demoted, revoked, still].map(({ key }) => begun(key));
  await sleep(1_100);
  const params = { org: org.name, login: demoted.login };
  expect((await api.call(changeMember, { params, body: { role: 'member' } })).status).toBe(200);
  const { id } = await api.db
    .selectFrom('api_key')
    .select('id')
    .where('hash', '=', hashKey(revoked.key))
    .executeTakeFirstOrThrow();
  expect((await api.call(revokeUserKey, { params: { key_id: id }, key: revoked.key })).status).toBe(200);
  const statuses = await Promise.all(held.map(({ finish }, i) => finish(`held-${i}`, 'admin')));
  expect(statuses).toEqual([403, 401, 201]);
  const { body } = await api.call(listServiceAccounts);
  expect(body.map(({ name }) => name).filter((name) => name.startsWith('held-'))).toEqual(['held-2']);
});
