import { randomUUID } from 'node:crypto';
import { createClient } from '@waymark/client';
import { attestGeneric, listAttestations, type Trail } from '@waymark/contract';
import { expect, it } from 'vitest';
import { environmentOf, givenEnvironment } from '../../server/test/given/environments.ts';
import { trailOf } from '../../server/test/given/evidence.ts';
import { startApi } from '../../server/test/harness.ts';
import { attestation, givenDirectory, report } from '../src/spool/given-spool.ts';
import { sendOrSpool } from '../src/spool/send-or-spool.ts';
import { sendSpooled } from '../src/spool/send-spooled.ts';
import { openSpool } from '../src/spool/spool.ts';

const api = await startApi();
const address = await api.app.http.listen({ host: '127.0.0.1', port: 0 });
const clientWith = (apiKey: string, baseUrl = `${address}/api/v2`) => createClient({ baseUrl, apiKey, retries: 0 });
const client = clientWith(api.org.keys.admin);
// Nothing ever listens on this port.
const away = clientWith(api.org.keys.admin, 'http://127.0.0.1:1/api/v2');

const params = (trail: string) => ({ org: 'acme', flow_name: 'web', trail_name: trail });
const request = (trail: string, name: string) =>
  attestation(name, { params: params(trail), line: `acme/web/${trail}`, claimedAt: new Date(Date.now() - 3_600_000) });

async function attestationsOf(trail: string) {
  const { body } = await api.call(listAttestations, { query: { per_page: '100' } });
  return body.data.filter(({ trail_name }) => trail_name === trail).reverse();
}

it('replays a trail and its evidence in order, marked as late, with the claimed time', async () => {
  const spool = openSpool(await givenDirectory());
  const line = 'acme/web/t1';
  const begin = { operation: 'beginTrail', params: { org: 'acme', flow_name: 'web' }, body: { name: 't1' }, line };
  await api.call(attestGeneric, { params: params('t0'), body: { attestation_name: 'x', is_compliant: true } });
  await spool.append(attestation('', begin));
  const content = Buffer.from('<testsuite name="s"><testcase name="a"/></testsuite>');
  await spool.append({
    ...request('t1', 'unit-tests'),
    operation: 'attestJunit',
    body: { attestation_name: 'unit-tests' },
    file: { name: 'junit.xml', content },
  });
  await spool.append(request('t1', 'review'));

  expect(await spool.push(sendSpooled(client))).toMatchObject({ recorded: 3, waiting: 0, refused: [] });
  const recorded = await attestationsOf('t1');
  expect(recorded.map(({ attestation_name, late, is_compliant }) => [attestation_name, late, is_compliant])).toEqual([
    ['unit-tests', true, true],
    ['review', true, true],
  ]);
  expect(recorded[1]?.claimed_at).toBeCloseTo(Date.now() / 1000 - 3600, -2);
  const trail: Trail = await trailOf(api, 'web', 't1');
  expect(trail.name).toBe('t1');
});

it('records evidence once when the first response was lost', async () => {
  const spool = openSpool(await givenDirectory());
  const id = randomUUID();
  const body = { attestation_name: 'once', is_compliant: true };
  await client.call(attestGeneric, { params: params('t2'), body, headers: { 'waymark-evidence-id': id } });
  await spool.append({ ...request('t2', 'once'), id });
  await spool.append({ ...request('t2', 'once'), id });

  expect(await spool.push(sendSpooled(client))).toMatchObject({ recorded: 2 });
  expect(await attestationsOf('t2')).toHaveLength(1);
});

it('spools unsent requests, keeps their line in order, and sends all of them', async () => {
  const spool = openSpool(await givenDirectory());
  const attest = (name: string, by: typeof client) =>
    sendOrSpool(spool, {
      request: request('t3', name),
      attempt: (headers) =>
        by.call(attestGeneric, { params: params('t3'), headers, body: request('t3', name).body as never }),
      send: sendSpooled(by),
      onPushed: () => undefined,
    });
  expect(await attest('a', away)).toMatchObject({ kind: 'spooled', reason: expect.stringMatching(/\w/) });
  expect(await attest('b', away)).toMatchObject({ kind: 'spooled' });
  await expect(attest('c', clientWith('not-a-key'))).rejects.toMatchObject({ status: 401 });
  expect((await spool.list()).entries).toHaveLength(2);
  expect(await attest('c', client)).toMatchObject({ kind: 'sent' });
  expect((await attestationsOf('t3')).map(({ attestation_name }) => attestation_name)).toEqual(['a', 'b', 'c']);
});

it('sets aside requests that the server refuses, with its reason', async () => {
  const spool = openSpool(await givenDirectory());
  await spool.append({ ...request('t4', 'good'), body: { attestation_name: 'bad', is_compliant: 'perhaps' } });
  await spool.append({ ...request('t4', 'good'), operation: 'deleteEverything' });
  await spool.append(request('t4', 'good'));

  const { recorded, refused } = await spool.push(sendSpooled(client));
  expect(recorded).toBe(1);
  expect(refused.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/\(400\): is_compliant /),
    "this version of waymark cannot replay the operation 'deleteEverything'",
  ]);
});

it('keeps everything waiting when the key is not accepted', async () => {
  const spool = openSpool(await givenDirectory());
  for (const trail of ['t5', 't6', 't7']) await spool.append(request(trail, 'a'));
  expect(await spool.push(sendSpooled(clientWith('not-a-key')), { parallel: 1 })).toMatchObject({
    ...{ recorded: 0, waiting: 3, refused: [] },
    reasons: [expect.stringContaining('401')],
  });
  expect(await spool.push(sendSpooled(client))).toMatchObject({ recorded: 3 });
});

it('sends the newest report, unless the server has a later one', async () => {
  await givenEnvironment(api, 'prod', 'server');
  const spool = openSpool(await givenDirectory());
  await spool.append(report('a'));
  await spool.append(report('b'));
  expect(await spool.push(sendSpooled(client))).toMatchObject({ recorded: 1, superseded: 0 });
  expect(await environmentOf(api, 'prod')).toMatchObject({ latest_snapshot_index: 1 });

  await spool.append(report('c', { claimedAt: new Date(Date.now() - 3_600_000) }));
  expect(await spool.push(sendSpooled(client))).toMatchObject({ recorded: 0, superseded: 1, waiting: 0 });
  expect(await environmentOf(api, 'prod')).toMatchObject({ latest_snapshot_index: 1 });
});
