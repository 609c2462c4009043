import { createPublicKey, verify } from 'node:crypto';
import { getTargetSecret, listWebhookKeys, rotateTargetSecret } from '@waymark/contract';
import { webhookBody } from '@waymark/messages';
import { Webhook } from 'standardwebhooks';
import { beforeEach, expect, it } from 'vitest';
import packageJson from '../../../../package.json' with { type: 'json' };
import { contentOf, type GivenTarget, givenNotification, givenTarget } from '../../../../test/given/deliveries.ts';
import { attemptRows, givenWaiting } from '../../../../test/given/waiting-deliveries.ts';
import { noLog, startApi } from '../../../../test/harness.ts';
import { type Received, startWebhookReceiver } from '../../../../test/webhook-receiver.ts';
import { epochSeconds } from '../../../platform/time.ts';
import type { DeliveryParts } from '../queue/attempt.service.ts';
import { deliverDue } from '../queue/deliver.ts';

const api = await startApi();
const receiver = await startWebhookReceiver();
const parts: DeliveryParts = {
  db: api.db,
  box: api.parts.secretBox,
  publicUrl: 'https://waymark.example.org',
  outbound: receiver.outbound(),
  mailer: undefined,
  log: noLog,
  now: () => api.clock.now,
};

let numbers = 0;
let target: GivenTarget;

beforeEach(async () => {
  receiver.reset();
  // The project's library compares with the real time.
  api.clock.now = new Date();
  numbers += 1;
  target = await givenTarget(api, { sourceId: await givenNotification(api, numbers), url: receiver.url('hook') });
});

async function sent(): Promise<Received & { readonly id: string }> {
  receiver.received.length = 0;
  const [id = ''] = await givenWaiting(api, target);
  await deliverDue(parts);
  const [call] = receiver.received;
  if (!call) throw new Error('nothing was received');
  return { ...call, id };
}

async function secret(): Promise<string> {
  const { body } = await api.call(getTargetSecret, { params: { target_id: target.id } });
  return body.secret;
}

function headersOf({ headers }: Received): Record<string, string> {
  return headers as Record<string, string>;
}

function isSignedWith(key: string, call: Received): boolean {
  try {
    new Webhook(key).verify(call.body, headersOf(call));
    return true;
  } catch {
    return false;
  }
}

it('sends the body of version 1.0 with headers that describe it', async () => {
  const call = await sent();
  const { id, headers, body } = call;
  const message = {
    id,
    org: api.org.name,
    trigger: 'ON_NON_COMPLIANT_ENV' as const,
    sequence: 1,
    count: 1,
    timestamp: epochSeconds(api.clock.now),
    content: contentOf(),
  };
  expect(JSON.parse(body)).toEqual(webhookBody(message, parts.publicUrl));
  const [attempt] = await attemptRows(api, id);
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': `Waymark/${packageJson.version}`,
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(epochSeconds(api.clock.now))),
    'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}= v1a,[A-Za-z0-9+/]{86}==$/),
    'x-request-id': attempt?.request_id,
  });
  expect(headers).not.toHaveProperty('authorization');
  expect(headers).not.toHaveProperty('cookie');
});

it('is verified by the Standard Webhooks library, and with no other secret', async () => {
  const call = await sent();
  expect(new Webhook(await secret()).verify(call.body, headersOf(call))).toEqual(JSON.parse(call.body));
  expect(isSignedWith(`whsec_${Buffer.alloc(32, 1).toString('base64')}`, call)).toBe(false);
  expect(isSignedWith(await secret(), { ...call, body: call.body.replace('production', 'Production') })).toBe(false);
  const headers = { ...call.headers, 'webhook-id': 'another' };
  expect(isSignedWith(await secret(), { ...call, headers })).toBe(false);
});

it('is signed with both secrets while one replaces the other, and with the new one afterwards', async () => {
  const old = await secret();
  await api.call(rotateTargetSecret, { params: { target_id: target.id }, body: { overlap_hours: 1 } });
  const fresh = await secret();
  expect(fresh).not.toBe(old);
  const during = await sent();
  expect(
    headersOf(during)
      ['webhook-signature']?.split(' ')
      .map((text) => text.split(',')[0]),
  ).toEqual(['v1', 'v1', 'v1a']);
  expect([isSignedWith(old, during), isSignedWith(fresh, during)]).toEqual([true, true]);

  await api.db
    .updateTable('notification_target')
    .set({ old_secret_until: api.clock.now })
    .where('org_id', '=', api.org.id)
    .where('id', '=', target.id)
    .execute();
  const afterwards = await sent();
  expect([isSignedWith(old, afterwards), isSignedWith(fresh, afterwards)]).toEqual([false, true]);
});

it('can be verified with the public key of the org alone', async () => {
  const { headers, body } = await sent();
  const { body: keys } = await api.call(listWebhookKeys);
  const text = keys.keys[0]?.waymark_key ?? '';
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(text.replace('whpk_', ''), 'base64').toString('base64url') },
    format: 'jwk',
  });
  const signature = String(headers['webhook-signature']).split(' v1a,')[1] ?? '';
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  expect(verify(null, Buffer.from(signed), key, Buffer.from(signature, 'base64'))).toBe(true);
  expect(verify(null, Buffer.from(`${signed} `), key, Buffer.from(signature, 'base64'))).toBe(false);
});
