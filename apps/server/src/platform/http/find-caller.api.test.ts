import { listFlows } from '@waymark/contract';
import { expect, it } from 'vitest';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();
const other = await api.givenOrg('other');

it('distinguishes requests that share a query, with the same key and with others', async () => {
  const { keys } = api.org;
  const senders = [
    { key: keys.admin, org: api.org.name, status: 200 },
    { key: keys.admin, org: other.name, status: 403 },
    { key: keys.reader, org: api.org.name, status: 200 },
    { key: other.keys.admin, org: other.name, status: 200 },
    { key: other.keys.admin, org: api.org.name, status: 403 },
    { key: other.keys.admin, org: 'nobody', status: 403 },
  ];
  const asked = Array.from({ length: 8 }, () => senders).flat();
  const answers = await Promise.all(asked.map(({ key, org }) => api.call(listFlows, { key, params: { org } })));
  expect(answers.map(({ status }) => status)).toEqual(asked.map(({ status }) => status));
});
