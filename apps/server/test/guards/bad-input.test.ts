import type { AddressInfo } from 'node:net';
import {
  contracts,
  createControl,
  getFlow,
  putEnvironment,
  putExperimentalFeatures,
  putFlow,
  recordApproval,
  reportServer,
  scimCreateGroup,
  scimCreateUser,
  toOpenApi,
} from '@waymark/contract';
import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isFull, sample } from '../../../../tools/test-size.ts';
import { fingerprint, givenArtifact } from '../given/evidence.ts';
import { givenNotification, webhook } from '../given/notifications.ts';
import { entraUser, givenScim, groupOf } from '../given/scim.ts';
import { startApi } from '../harness.ts';
import { complaintsAbout, type WireAnswer } from './bad-input/answer-check.ts';
import { describeRequest, type HostileRequest, requestsFor } from './bad-input/hostile-request.ts';
import { sweep } from './bad-input/hostile-sweep.ts';
import { noHttp } from './bad-input/no-http.ts';
import { type OpenApi, type Operation, operationsOf, type World } from './bad-input/operation.ts';
import { inProcess, overNetwork, writeBytes } from './bad-input/send-request.ts';

const numRuns = isFull ? 300 : 5;
/** Of the sweep, in the short form. */
const SHARES = 8;

const api = await startApi();
const strangers = await api.givenOrg('strangers');
const document = toOpenApi(contracts, { version: '2.0', serverUrl: 'http://waymark.test/api/v2' });
const operations = operationsOf(document as unknown as OpenApi);
await api.call(putEnvironment, { body: { name: 'given', type: 'server' } });
const notification = await givenNotification(api, 'given', ['given']);
// Of another one, as this one is going to be deleted.
const [target] = (await givenNotification(api, 'kept', ['given'], { targets: [webhook('https://127.0.0.1:1/')] }))
  .targets;
const world: World = {
  keys: { admin: api.org.keys.admin, reader: api.org.keys.reader, foreign: strangers.keys.admin },
  names: {
    org: api.org.name,
    flow_name: 'given',
    trail_name: 'given',
    fingerprint: fingerprint('a'),
    repo_name: 'given/repo',
    env_name: 'given',
    snapshot_expression: '-1',
    number: String(notification.number),
    target_id: target?.id ?? '',
    id: 'given',
    identifier: 'given',
    version: '1',
  },
};

/** Operations for identity providers are called by one, in an org that it manages. */
const provisioned = await api.givenOrg('provisioned');
const scim = await givenScim(api, provisioned);
const user = await scim.send(scimCreateUser, { body: entraUser('given@example.test') });
const group = await scim.send(scimCreateGroup, { body: groupOf('given', user.body.id) });

function worldOf({ path }: Operation): World {
  if (!path.startsWith('/scim/')) return world;
  const id = path.includes('/Groups') ? group.body.id : user.body.id;
  const names = { ...world.names, org: provisioned.name, id };
  return { names, keys: { ...world.keys, admin: scim.key } };
}

let port = 0;
const answers = new Map<string, number>();

beforeAll(async () => {
  port = (api.app.http.server.address() as AddressInfo).port;
});

/** Whether a request may have changed or deleted what is given. */
let wasChanged = true;

beforeEach(async () => {
  if (!wasChanged) return;
  wasChanged = false;
  await api.call(putFlow, { body: { name: 'given', description: 'here before every test' } });
  await givenArtifact(api, 'given', 'a', { trail_name: 'given', repo_info: { name: 'given/repo' } });
  await api.call(recordApproval, {
    params: { flow_name: 'given' },
    body: { artifact_fingerprint: fingerprint('a'), src_commit_list: [] },
  });
  await api.call(putExperimentalFeatures, { body: { experimental_features_enabled: true } });
  await api.call(createControl, { body: { identifier: 'given', name: 'given' } });
  await api.call(putEnvironment, { body: { name: 'given', type: 'server' } });
  await api.call(reportServer, {
    params: { env_name: 'given' },
    body: { artifacts: [{ digests: { app: fingerprint('a') }, creationTimestamp: 1 }] },
  });
});

afterAll(() => {
  const total = [...answers.values()].reduce((sum, count) => sum + count, 0);
  const counts = [...answers].sort().map(([answer, count]) => `${count} × ${answer}`);
  console.log(`bad input: ${total} requests, answered ${counts.join(', ')}`);
});

function count(answer: string): void {
  answers.set(answer, (answers.get(answer) ?? 0) + 1);
}

async function send(operation: Operation, request: HostileRequest): Promise<WireAnswer> {
  const answer = operation.isStream ? await overNetwork(port, request) : await inProcess(api.app.http, request);
  count(String(answer.status));
  if (answer.status < 400 && request.method !== 'GET') wasChanged = true;
  return answer;
}

describe('a bad request gets an explanation', () => {
  it.each(operations)('$operationId, one place after the other', async (operation) => {
    for (const request of sample([...sweep(operation, worldOf(operation))], SHARES)) {
      const answer = await send(operation, request);
      expect(
        complaintsAbout(answer, request.url),
        `${describeRequest(request)}\n${answer.body.slice(0, 1000)}`,
      ).toEqual([]);
    }
  });

  it.each(operations)(
    '$operationId, at random',
    async (operation) => {
      const property = fc.asyncProperty(requestsFor(operation, worldOf(operation)), async (request) => {
        const answer = await send(operation, request);
        expect(complaintsAbout(answer, request.url), `${answer.status} ${answer.body.slice(0, 1000)}`).toEqual([]);
      });
      await fc.assert(property, { numRuns });
    },
    600_000,
  );
});

describe('bytes that are not HTTP are refused or cut off', () => {
  it.each(noHttp(world.keys.admin))('%s', async (_, bytes) => {
    const answer = await writeBytes(port, bytes);
    count(answer ? String(answer.status) : 'hanging up');
    if (answer) expect(answer.status).toBeGreaterThanOrEqual(400);
    if (answer) expect(complaintsAbout(answer)).toEqual([]);
    expect((await fetch(`http://127.0.0.1:${port}/live`)).status).toBe(200);
  });

  // Node handles this one itself, without a body.
  it('a request that names no host', async () => {
    expect(await writeBytes(port, Buffer.from('GET /ready HTTP/1.1\r\n\r\n'))).toMatchObject({ status: 400 });
  });
});

it('leaves a server that answers a good request', async () => {
  expect(await api.call(getFlow, { params: { flow_name: 'given' } })).toMatchObject({ status: 200 });
  expect((await fetch(`http://127.0.0.1:${port}/ready`)).status).toBe(200);
});

describe('the check would notice', () => {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': '1' };
  const right: WireAnswer = {
    status: 400,
    headers,
    body: '{"message":"no","errors":{"a":"is wrong"},"request_id":"1"}',
    ms: 1,
  };

  it('nothing in a right answer', () => {
    expect(complaintsAbout(right)).toEqual([]);
    expect(complaintsAbout({ ...right, body: '{"message":"no","errors":null,"request_id":"1"}' })).toEqual([]);
    expect(complaintsAbout({ ...right, status: 404, body: '{"message":"no","request_id":"1"}' })).toEqual([]);
  });

  it.each<[string, Partial<WireAnswer>, string]>([
    ['a failure of ours', { status: 500, body: '{"message":"oops","request_id":"1"}' }, 'the status is 500'],
    ['no answer', { status: 0 }, 'the status is 0'],
    ['a slow answer', { ms: 20_001 }, 'it took 20001 ms'],
    ['a missing request id', { headers: { 'content-type': 'application/json' } }, 'there is no X-Request-ID'],
    ['a missing challenge', { status: 401, body: '{"message":"no","request_id":"1"}' }, 'there is no WWW-Authenticate'],
    ['another type', { headers: { ...headers, 'content-type': 'text/html' } }, 'the content type is text/html'],
    ['a body that is no JSON', { body: '<html>' }, 'the body has not the shape of a problem'],
    ['a 400 without errors', { body: '{"message":"no","request_id":"1"}' }, 'the body has not the shape of a problem'],
    [
      'empty errors',
      { body: '{"message":"no","errors":{},"request_id":"1"}' },
      'the body has not the shape of a problem',
    ],
    [
      'an error that is no text',
      { body: '{"message":"no","errors":{"a":1},"request_id":"1"}' },
      'the body has not the shape of a problem',
    ],
    [
      'an empty message',
      { body: '{"message":"","errors":null,"request_id":"1"}' },
      'the body has not the shape of a problem',
    ],
    [
      'a key too many',
      { status: 404, body: '{"message":"no","stack":"x","request_id":"1"}' },
      'the body has not the shape of a problem',
    ],
  ])('%s', (_, wrong, complaint) => {
    expect(complaintsAbout({ ...right, ...wrong })).toEqual([complaint]);
  });
});
