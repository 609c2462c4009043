import { ApiError, createClient } from '@waymark/client';
import {
  attestGeneric,
  createServiceAccount,
  createServiceAccountKey,
  getAction,
  getFlow,
  listArtifacts,
  listAttestations,
  listFlows,
  listFlowTrails,
  listMembers,
  listServiceAccountKeys,
  listServiceAccounts,
  listTrails,
  putFlow,
  streamEvents,
} from '@waymark/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { givenArtifact, givenFlow, givenTrail } from '../../test/given/evidence.ts';
import { givenFeed } from '../../test/given/feed.ts';
import { startApi } from '../../test/harness.ts';

// Links use a public URL that nothing serves: a client follows them at its own.
const api = await startApi({ publicUrl: 'https://waymark.invalid' });
const address = await api.app.http.listen({ host: '127.0.0.1', port: 0 });
const options = { baseUrl: `${address}/api/v2`, apiKey: api.org.keys.admin };
const client = createClient(options);
const params = { org: 'acme' };
const FLOWS = 45;
const names = Array.from({ length: FLOWS }, (_, i) => `flow-${String(i).padStart(2, '0')}`);

beforeAll(async () => {
  await Promise.all(names.map((name) => client.call(putFlow, { params, body: { name } })));
});

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of source) found.push(item);
  return found;
}

/** A network that loses the response to the first request, after the server has sent it. */
function losingTheFirstAnswer() {
  let sent = 0;
  const losing: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    if (++sent > 1) return response;
    await response.text();
    throw new TypeError('fetch failed', { cause: new Error('other side closed') });
  };
  return { client: createClient({ ...options, fetch: losing }), sent: () => sent };
}

it('takes a number for a part of an address', async () => {
  const missing = client.call(getAction, { params: { ...params, number: 7 } });

  await expect(missing).rejects.toMatchObject({ name: 'ApiError', status: 404 });
});

describe('the client reads all pages of', () => {
  it('flows, in an envelope or as one list', async () => {
    const paged = await all(client.items(listFlows, { params, query: { per_page: 10, sort: 'name' } }));
    expect(paged.map(({ name }) => name)).toEqual(names);
    expect(await all(client.pages(listFlows, { params, query: { per_page: 10 } }))).toHaveLength(5);
    expect(await all(client.items(listFlows, { params }))).toHaveLength(FLOWS);
  });

  it('trails, artifacts, attestations and members, each in its own form', async () => {
    await givenFlow(api, 'web');
    const trails = ['a', 'b', 'c', 'd', 'e'];
    for (const trail of trails) {
      await givenTrail(api, 'web', trail);
      await givenArtifact(api, 'web', trail, { trail_name: trail });
      const body = { attestation_name: 'scan', is_compliant: true };
      await client.call(attestGeneric, { params: { ...params, flow_name: 'web', trail_name: trail }, body });
    }
    const flow = { ...params, flow_name: 'web' };
    const query = { per_page: 2 };
    expect(await all(client.items(listTrails, { params, query: { ...query, flow: 'web' } }))).toHaveLength(5);
    expect(await all(client.items(listFlowTrails, { params: flow, query }))).toHaveLength(5);
    const artifacts = await all(client.items(listArtifacts, { params, query: { ...query, flow_name: 'web' } }));
    expect(new Set(artifacts.map(({ fingerprint }) => fingerprint)).size).toBe(5);
    expect(await all(client.items(listAttestations, { params, query: { ...query, flow: ['web'] } }))).toHaveLength(5);
    const members = await all(client.items(listMembers, { params, query: { per_page: 1 } }));
    expect(members).toHaveLength((await client.call(listMembers, { params })).total_count);
  });
});

describe('the client throws', () => {
  it('reports each error with its field, and the request id', async () => {
    const failure = await client.call(putFlow, { params, body: { name: '-' } }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({
      status: 400,
      fields: { name: expect.stringContaining('must start with a letter') },
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      retryAfterSeconds: null,
    });
  });

  it.each([
    [401, 'not-a-key'],
    [403, api.org.keys.reader],
  ])('%i for a key that does not open', async (status, apiKey) => {
    const other = createClient({ ...options, apiKey });
    await expect(other.call(putFlow, { params, body: { name: 'x' } })).rejects.toMatchObject({ status });
  });

  it('404 for what does not exist', async () => {
    await expect(client.call(getFlow, { params: { ...params, flow_name: 'nope' } })).rejects.toMatchObject({
      status: 404,
      message: "Flow 'nope' does not exist in this org",
    });
  });
});

describe('a POST whose answer got lost', () => {
  it('is done once', async () => {
    const losing = losingTheFirstAnswer();
    const body = { name: 'deployer', privilege: 'member' } as const;
    await losing.client.call(createServiceAccount, { params, body });
    expect(losing.sent()).toBe(2);
    const accounts = await all(client.items(listServiceAccounts, { params }));
    expect(accounts.filter(({ name }) => name === 'deployer')).toHaveLength(1);
    const created = (await api.journal()).filter(({ type }) => type === 'service_account.created');
    expect(created.filter(({ payload }) => JSON.stringify(payload).includes('deployer'))).toHaveLength(1);
  });

  it('of evidence with a file is recorded once', async () => {
    const losing = losingTheFirstAnswer();
    const trail = { ...params, flow_name: 'flow-00', trail_name: 'lost' };
    await losing.client.call(attestGeneric, {
      params: trail,
      body: { attestation_name: 'scan', is_compliant: true },
      file: { name: 'scan.txt', content: new Blob(['all is well']) },
    });
    expect(losing.sent()).toBe(2);
    expect(await all(client.items(listAttestations, { params, query: { flow: ['flow-00'] } }))).toHaveLength(1);
  });

  it('that made a key says which, as the key is shown only once', async () => {
    const losing = losingTheFirstAnswer();
    const account = { ...params, name: 'deployer' };
    const failure = losing.client.call(createServiceAccountKey, { params: account, body: { description: 'ci' } });
    await expect(failure).rejects.toMatchObject({
      status: 400,
      fields: { 'Idempotency-Key': expect.stringContaining('shown only once') },
    });
    expect(await all(client.items(listServiceAccountKeys, { params: account }))).toHaveLength(1);
  });

  it('is refused when the same key is used for another request', async () => {
    const idempotencyKey = 'mine';
    const add = (name: string) =>
      client.call(createServiceAccount, { params, body: { name, privilege: 'member' }, idempotencyKey });
    expect(await add('first')).toEqual(await add('first'));
    await expect(add('second')).rejects.toMatchObject({
      status: 400,
      fields: { 'Idempotency-Key': 'was already used for another request' },
    });
  });
});

it('a dry run is answered as the real thing and leaves nothing', async () => {
  const before = (await api.journal()).length;
  const answer = await client.call(putFlow, { params, body: { name: 'tried' }, dryRun: true });
  expect(answer).toBe("Flow 'tried' created");
  await expect(client.call(getFlow, { params: { ...params, flow_name: 'tried' } })).rejects.toMatchObject({
    status: 404,
  });
  expect(await api.journal()).toHaveLength(before);
});

it('events are followed from where the caller was, or say that they were missed', async () => {
  const feed = givenFeed(api);
  await feed.untilDone();
  const first = async (lastEventId: string) => {
    for await (const event of client.events(streamEvents, { params, query: { topics: 'flow' }, lastEventId })) {
      return event;
    }
    return undefined;
  };
  expect(await first('0')).toMatchObject({
    id: expect.stringMatching(/^\d+\.\d+$/),
    event: 'flow.created',
    data: { type: 'flow.created', subject: { kind: 'flow' }, recorded_at: expect.any(Number) },
  });
  expect(await first('999999')).toMatchObject({ event: 'reset', data: null });
});
