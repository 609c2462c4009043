import { expect, it } from 'vitest';
import { givenNotification, givenTarget } from '../../../../test/given/deliveries.ts';
import { givenWaiting, stateRow } from '../../../../test/given/waiting-deliveries.ts';
import { noLog, startApi } from '../../../../test/harness.ts';
import { startWebhookReceiver } from '../../../../test/webhook-receiver.ts';
import { systemCtx } from '../../../platform/ctx.ts';
import type { DeliveryParts } from '../queue/attempt.service.ts';
import { deliverDue } from '../queue/deliver.ts';
import { replaceTargets } from './target.service.ts';

const api = await startApi();
const receiver = await startWebhookReceiver();

it('a worker that is sending loses a target that gets another URL, and the rest goes there', async () => {
  const target = await givenTarget(api, { sourceId: await givenNotification(api, 1), url: receiver.url('old') });
  const ids = await givenWaiting(api, target, 3);
  const ctx = { ...systemCtx(api.db, api.org.id, 'tests', noLog), now: () => api.clock.now };
  const move = () =>
    replaceTargets(
      ctx,
      api.parts.secretBox,
      { id: target.sourceId, configType: null },
      [{ type: 'WEBHOOK', webhook: receiver.url('new'), id: target.id }],
      ['127.0.0.0/8'],
    );
  const outbound = receiver.outbound();
  let sent = 0;
  const parts: DeliveryParts = {
    db: api.db,
    box: api.parts.secretBox,
    publicUrl: 'https://waymark.example.org',
    outbound: async (...request) => {
      sent += 1;
      if (sent === 1) await move();
      return outbound(...request);
    },
    mailer: undefined,
    log: noLog,
    now: () => api.clock.now,
  };
  const receivedBy = (name: string) => receiver.receivedBy(name).map(({ headers }) => headers['webhook-id']);
  await deliverDue(parts);
  expect([receivedBy('old'), receivedBy('new')]).toEqual([ids.slice(0, 1), []]);
  api.clock.now = new Date(api.clock.now.getTime() + 31_000);
  await deliverDue(parts);
  expect([receivedBy('old'), receivedBy('new')]).toEqual([ids.slice(0, 1), ids.slice(1)]);
  expect(await stateRow(api, target)).toMatchObject({ due_at: null, held_by: null, sending_delivery: null });
});
